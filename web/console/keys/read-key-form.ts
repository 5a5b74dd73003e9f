import type { VariablesOf } from 'gql.tada';
import { invalid } from '../api/problem.ts';
import type { ApiKey } from './api-key.ts';
import type { createApiKeyMutation } from './documents.ts';
import type { Refill } from './limits-in-words.ts';

/** What a person says of a key when it is made or changed. */
export type KeyParts = Pick<
  ApiKey,
  'name' | 'expiresAt' | 'permissions' | 'allowedAddresses' | 'rateLimit' | 'quota'
>;

/** The arguments that have a field. */
export const keyArguments = [
  'name',
  'expiresAt',
  'permissions',
  'allowedAddresses',
  'rateLimit',
  'quota',
] as const;

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

/** Names that were typed, each once; neither has white space or a comma within. */
const readList = (form: FormData, field: string): string[] => [
  ...new Set(`${form.get(field)}`.split(/[\s,;]+/u).filter((item) => item !== '')),
];

function readRateLimit(form: FormData) {
  const limit = readNumber(form, 'rate-limit', 'rateLimit');
  return limit === null ? null : { limit, windowSeconds: Number(form.get('rate-window')) };
}

function readQuota(form: FormData) {
  const limit = readNumber(form, 'quota', 'quota');
  return limit === null ? null : { limit, refill: `${form.get('quota-refill')}` as Refill };
}

/** A key of which nothing was said. */
const nothingSaid: KeyParts = {
  name: null,
  expiresAt: null,
  permissions: [],
  allowedAddresses: [],
  rateLimit: null,
  quota: null,
};

/** What was said of a key, as it can be compared. */
const comparable = ({ name, expiresAt, permissions, allowedAddresses, rateLimit, quota }: KeyParts) => ({
  name,
  expiresAt,
  permissions,
  allowedAddresses,
  rateLimit: rateLimit && { limit: rateLimit.limit, windowSeconds: rateLimit.windowSeconds },
  quota: quota && { limit: quota.limit, refill: quota.refill },
});

/**
 * What the form says that is not so yet: what stays as it is is left out, so that it is not overwritten.
 * @param before the key as the form began with it
 * @throws {Problem} where a field says nothing that can be asked for
 */
export function readKeyForm(
  form: FormData,
  now: Date,
  before: KeyParts = nothingSaid,
): VariablesOf<typeof createApiKeyMutation> {
  const after = {
    name: readName(form),
    expiresAt: readExpiresAt(form, now, before.expiresAt),
    permissions: readList(form, 'permissions'),
    allowedAddresses: readList(form, 'allowed-addresses'),
    rateLimit: readRateLimit(form),
    quota: readQuota(form),
  };
  const known: Readonly<Record<string, unknown>> = comparable(before);
  const changed = Object.entries(after).filter(
    ([part, value]) => JSON.stringify(value) !== JSON.stringify(known[part]),
  );
  return Object.fromEntries(changed);
}
