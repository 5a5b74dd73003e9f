import type { VariablesOf } from 'gql.tada';
import { invalid } from '../api/problem.ts';
import type { ApiKey } from './api-key.ts';
import type { createApiKeyMutation } from './documents.ts';
import type { Refill } from './limits-in-words.ts';

/** What a person says of a key when it is made or changed: the arguments that have a field. */
export type KeyParts = Pick<ApiKey, keyof VariablesOf<typeof createApiKeyMutation> & keyof ApiKey>;

/** A text with the line ends of a field, whatever they were. */
const withLineEnds = (text: string): string => text.replace(/\r\n?/g, '\n');

const readText = (form: FormData, field: string): string | null =>
  withLineEnds(`${form.get(field)}`).trim() || null;

/** A key's name, as the field says; null where it is left empty. */
export const readName = (form: FormData): string | null => `${form.get('name')}` || null;

const day = 86_400_000;

/**
 * When a key is to expire, as the fields say.
 * @param current when it expires so far
 * @returns a moment in ISO 8601; null for never
 * @throws {Problem} where there is no date, or one that has passed
 */
function readExpiresAt(form: FormData, now: Date, current: string | null): string | null {
  const expiry = `${form.get('expiry')}`;
  if (expiry === 'stays') return current;
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(now.getTime() + Number(expiry) * day).toISOString();
  const moment = new Date(`${form.get('expires-at')}`);
  // A browser gives nothing of a date that is not typed to its end.
  if (Number.isNaN(moment.getTime())) throw invalid('expiresAt', 'Choose a date and a time.');
  if (moment <= now) throw invalid('expiresAt', 'Choose a date and time in the future.');
  return moment.toISOString();
}

/** The most that GraphQL's Int can say. The service knows closer bounds, and says them. */
const mostInt = 2 ** 31 - 1;

/** A number that was typed, with or without marks between thousands; null where there is none. */
function readNumber(form: FormData, field: string, argument: string): number | null {
  const text = `${form.get(field)}`.trim().replace(/[\s,](?=\d{3}(?!\d))/gu, '');
  if (text === '') return null;
  if (!/^\d+$/.test(text)) throw invalid(argument, 'Must be a whole number, such as 1000.');
  if (Number(text) > mostInt) throw invalid(argument, 'Is too large a number.');
  return Number(text);
}

/**
 * Names that were typed or ticked, each once; neither has white space or a comma within.
 * @param current the names so far: those that stay keep their order
 */
function readList(form: FormData, field: string, current: readonly string[]): string[] {
  const said = new Set(form.getAll(field).flatMap((text) => `${text}`.split(/[\s,;]+/u)));
  said.delete('');
  const stay = current.filter((item) => said.has(item));
  return [...new Set([...stay, ...said])];
}

function readRateLimit(form: FormData) {
  const limit = readNumber(form, 'rate-limit', 'rateLimit');
  return limit === null ? null : { limit, windowSeconds: Number(form.get('rate-window')) };
}

function readQuota(form: FormData) {
  const limit = readNumber(form, 'quota', 'quota');
  return limit === null ? null : { limit, refill: `${form.get('quota-refill')}` as Refill };
}

/** How a part of a key is read from the form. */
interface Part<Value> {
  /** The value of a key of which nothing was said. */
  readonly none: Value;
  /** @param current the value so far */
  readonly read: (form: FormData, now: Date, current: Value) => unknown;
  /** The value as it is given, without what the service tells beside it. */
  readonly given?: (value: Value) => unknown;
}

const parts: { readonly [Name in keyof KeyParts]-?: Part<KeyParts[Name]> } = {
  name: { none: null, read: readName },
  description: {
    none: null,
    read: (form) => readText(form, 'description'),
    given: (text) => text && withLineEnds(text),
  },
  expiresAt: { none: null, read: readExpiresAt },
  permissions: { none: [], read: (form, _now, current) => readList(form, 'permissions', current) },
  allowedAddresses: {
    none: [],
    read: (form, _now, current) => readList(form, 'allowed-addresses', current),
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

/** The parts for code that is the same for all of them. */
const rows = Object.entries(parts) as unknown as (readonly [keyof KeyParts, Part<unknown>])[];

/** The arguments that have a field. */
export const keyArguments = rows.map(([name]) => name);

/**
 * What the form says that is not so yet: what stays as it is is left out, so that it is not overwritten.
 * @param before the key as the form began with it
 * @throws {Problem} where a field says nothing that can be asked for
 */
export function readKeyForm(
  form: FormData,
  now: Date,
  before?: KeyParts,
): VariablesOf<typeof createApiKeyMutation> {
  const changed = rows.flatMap(([name, { none, read, given = (value: unknown) => value }]) => {
    const current = before ? before[name] : none;
    const value = read(form, now, current);
    return JSON.stringify(value) === JSON.stringify(given(current)) ? [] : [[name, value]];
  });
  return Object.fromEntries(changed);
}
