import type { VariablesOf } from 'gql.tada';
import type { Language } from '../../messages/language.ts';
import { perLocale } from '../../messages/per-locale.ts';
import { invalid } from '../api/problem.ts';
import type { ApiKey } from './api-key.ts';
import type { createApiKeyMutation } from './documents.ts';
import type { Refill } from './limits-in-words.ts';
import { type MayDo, mayDoOf } from './offer-permissions.ts';

/** The parts of a key that a person can set: the arguments that have a field. */
export type KeyParts = Pick<ApiKey, keyof VariablesOf<typeof createApiKeyMutation> & keyof ApiKey>;

/** A text with `\n` as its line ends, as a field has them. */
const withLineEnds = (text: string): string => text.replace(/\r\n?/g, '\n');

const readText = (form: FormData, field: string): string | null =>
  withLineEnds(`${form.get(field)}`).trim() || null;

/** The name in the field; null if it is empty. */
const readName = (form: FormData): string | null => `${form.get('name')}` || null;

const day = 86_400_000;

/**
 * The expiry in the fields.
 * @param current the current expiry
 * @returns a time in ISO 8601; null for never
 * @throws {Problem} if the date is missing or has passed
 */
function readExpiresAt({ text }: Language, form: FormData, now: Date, current: string | null): string | null {
  const expiry = `${form.get('expiry')}`;
  if (expiry === 'stays') return current;
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(now.getTime() + Number(expiry) * day).toISOString();
  const moment = new Date(`${form.get('expires-at')}`);
  // If only a part of the date was typed, a browser gives an empty text.
  if (Number.isNaN(moment.getTime())) throw invalid('expiresAt', text('keys.invalid-no-date'));
  if (moment <= now) throw invalid('expiresAt', text('keys.invalid-past-date'));
  return moment.toISOString();
}

/** The largest Int of GraphQL. The service has lower limits, and its errors name them. */
const mostInt = 2 ** 31 - 1;

/** The marks between thousands: white space, or what the language puts there. */
const thousandMarks = perLocale((locale) => {
  const parts = new Intl.NumberFormat(locale).formatToParts(1_000_000);
  const mark = parts.find(({ type }) => type === 'group')?.value ?? '';
  return new RegExp(`[\\s${mark.replace(/[\\\]^-]/g, '\\$&')}](?=\\d{3}(?!\\d))`, 'gu');
});

/** The number in a field, with or without marks between thousands; null if the field is empty. */
function readNumber(language: Language, form: FormData, field: string, argument: string): number | null {
  const typed = `${form.get(field)}`.trim().replace(thousandMarks(language), '');
  if (typed === '') return null;
  if (!/^\d+$/.test(typed)) throw invalid(argument, language.text('keys.invalid-number'));
  if (Number(typed) > mostInt) throw invalid(argument, language.text('keys.invalid-large'));
  return Number(typed);
}

/**
 * The names that were typed or ticked, each once. No name has white space or a comma.
 * @param current the current names: those that stay keep their order
 */
function readList(form: FormData, field: string, current: readonly string[]): string[] {
  const said = new Set(form.getAll(field).flatMap((text) => `${text}`.split(/[\s,;]+/u)));
  said.delete('');
  const stay = current.filter((item) => said.has(item));
  return [...new Set([...stay, ...said])];
}

/**
 * The permissions in the fields.
 * @param current the current permissions; `*` with others stays as it is
 * @throws {Problem} if none of them is chosen
 */
function readPermissions({ text }: Language, form: FormData, current: readonly string[]): readonly string[] {
  const may = form.get('may') as MayDo;
  if (may === 'nothing') return [];
  if (may === 'everything') return mayDoOf(current) === 'everything' ? current : ['*'];
  const list = readList(form, 'permissions', current);
  if (list.length === 0) {
    const nothing = text('keys.may-nothing');
    throw invalid('permissions', text('keys.invalid-no-permission', { nothing }));
  }
  return list;
}

function readRateLimit(language: Language, form: FormData) {
  const limit = readNumber(language, form, 'rate-limit', 'rateLimit');
  return limit === null ? null : { limit, windowSeconds: Number(form.get('rate-window')) };
}

function readQuota(language: Language, form: FormData) {
  const limit = readNumber(language, form, 'quota', 'quota');
  return limit === null ? null : { limit, refill: `${form.get('quota-refill')}` as Refill };
}

/** How a part of a key is read from the form. */
interface Part<Value> {
  /** The value for a new key if the field is empty. */
  readonly none: Value;
  /** @param current the current value */
  readonly read: (language: Language, form: FormData, now: Date, current: Value) => unknown;
  /** The value as an argument, without the fields that only responses have. */
  readonly given?: (value: Value) => unknown;
}

const parts: { readonly [Name in keyof KeyParts]-?: Part<KeyParts[Name]> } = {
  name: { none: null, read: (_language, form) => readName(form) },
  description: {
    none: null,
    read: (_language, form) => readText(form, 'description'),
    given: (text) => text && withLineEnds(text),
  },
  expiresAt: { none: null, read: readExpiresAt },
  permissions: {
    none: [],
    read: (language, form, _now, current) => readPermissions(language, form, current),
  },
  allowedAddresses: {
    none: [],
    read: (_language, form, _now, current) => readList(form, 'allowed-addresses', current),
  },
  rateLimit: {
    none: null,
    read: readRateLimit,
    given: (rate) => rate && { limit: rate.limit, windowSeconds: rate.windowSeconds },
  },
  quota: {
    none: null,
    read: readQuota,
    given: (quota) => quota && { limit: quota.limit, refill: quota.refill },
  },
};

/** The parts as rows, for code that treats all alike. */
const rows = Object.entries(parts) as unknown as (readonly [keyof KeyParts, Part<unknown>])[];

/** The arguments that have a field. */
export const keyArguments = rows.map(([name]) => name);

/**
 * What the form changes. Parts that stay the same are left out, so that they are not overwritten.
 * @param before the key when the form was opened
 * @param names the parts that the form has; all if missing
 * @throws {Problem} if a field is not valid
 */
export function readKeyForm(
  language: Language,
  form: FormData,
  now: Date,
  before?: KeyParts,
  names: readonly (keyof KeyParts)[] = keyArguments,
): VariablesOf<typeof createApiKeyMutation> {
  const shown = rows.filter(([name]) => names.includes(name));
  const changed = shown.flatMap(([name, { none, read, given = (value: unknown) => value }]) => {
    const current = before ? before[name] : none;
    const value = read(language, form, now, current);
    return JSON.stringify(value) === JSON.stringify(given(current)) ? [] : [[name, value]];
  });
  return Object.fromEntries(changed);
}
