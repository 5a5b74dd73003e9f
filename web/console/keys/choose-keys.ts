import type { Language } from '../../messages/language.ts';
import { type ApiKey, type ApiKeyState, canChange, nameOf, stateOf } from './api-key.ts';

/** Which keys are listed. */
export type KeyFilter = 'all' | ApiKeyState;

/** In which order keys are listed. */
export type KeyOrder = 'newest' | 'oldest' | 'name' | 'used' | 'expiry';

/** Which keys a person wants to see, and in which order. */
export interface KeyChoice {
  readonly filter: KeyFilter;
  readonly order: KeyOrder;
  /** A text that the name, the description, the prefix or the id must contain. */
  readonly search: string;
  /** Whether the text is the beginning of a pasted secret. Then the filter does not count. */
  readonly isPasted: boolean;
}

const time = (at: string | null, otherwise: number): number => (at === null ? otherwise : Date.parse(at));

/** The key that expires next comes first; keys that never expire, or never work again, come last. */
const expiry = (key: ApiKey, now: Date): number =>
  canChange(stateOf(key, now)) ? time(key.expiresAt, Number.MAX_SAFE_INTEGER - 1) : Number.MAX_SAFE_INTEGER;

/** Compares two keys for an order. */
type Compare = (a: ApiKey, b: ApiKey, now: Date, language: Language) => number;

const orders: Readonly<Record<KeyOrder, Compare>> = {
  newest: (a, b) => b.id - a.id,
  oldest: (a, b) => a.id - b.id,
  name: (a, b, _now, language) => language.compare(nameOf(language, a), nameOf(language, b)),
  used: (a, b) => time(b.lastUsedAt, 0) - time(a.lastUsedAt, 0),
  expiry: (a, b, now) => expiry(a, now) - expiry(b, now),
};

/** Whether a text looks like a whole secret: long, and without spaces. */
export const looksLikeSecret = (text: string): boolean => /^\S{40,}$/.test(text.trim());

/** The part of a secret that the page may keep: everything before the dot. Prefixes have at most 32 characters. */
export const prefixIn = (text: string): string => (text.trim().split('.', 1)[0] ?? '').slice(0, 32);

/** The beginnings of all secrets of a key that work, and of its last one. */
const prefixesOf = ({ keyPrefix, secrets }: ApiKey): string[] => [
  keyPrefix,
  ...secrets.flatMap(({ prefix }) => prefix ?? []),
];

/** The keys that have a secret with a prefix. */
export const keysOfPrefix = (keys: readonly ApiKey[], prefix: string): ApiKey[] =>
  keys.filter((key) => prefixesOf(key).some((each) => each.toLowerCase() === prefix.toLowerCase()));

const contains = (language: Language, key: ApiKey, search: string): boolean =>
  [nameOf(language, key), key.description ?? '', `${key.id}`].some((text) =>
    text.toLowerCase().includes(search),
  ) || prefixesOf(key).some((prefix) => prefix.toLowerCase().includes(prefixIn(search)));

/** The choice in the address: active keys, newest first, if it says nothing else. */
export function choiceIn(params: URLSearchParams): KeyChoice {
  const state = params.get('state') ?? '';
  const order = params.get('order') ?? '';
  return {
    filter: isFilter(state) ? state : 'active',
    order: Object.hasOwn(orders, order) ? (order as KeyOrder) : 'newest',
    search: params.get('find') ?? '',
    isPasted: params.get('pasted') !== null,
  };
}

const isFilter = (text: string): text is KeyFilter =>
  ['active', 'paused', 'expired', 'deactivated', 'all'].includes(text);

/** The keys that match the choice, in the chosen order. */
export function chooseKeys(
  language: Language,
  keys: readonly ApiKey[],
  { filter, order, search, isPasted }: KeyChoice,
  now: Date,
): ApiKey[] {
  const wanted = search.trim().toLowerCase();
  return keys
    .filter((key) => isPasted || filter === 'all' || stateOf(key, now) === filter)
    .filter((key) => contains(language, key, wanted))
    .toSorted((a, b) => orders[order](a, b, now, language) || b.id - a.id);
}
