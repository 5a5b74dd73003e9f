import type { VariablesOf } from 'gql.tada';
import { invalid } from '../api/problem.ts';
import type { ApiKey } from './api-key.ts';
import type { createApiKeyMutation } from './documents.ts';
import { readExpiresAt } from './expiry-fields.tsx';
import type { Refill } from './limits-in-words.ts';
import { readName } from './name-field.tsx';

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
