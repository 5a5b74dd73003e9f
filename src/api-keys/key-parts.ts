import { UnderscoreNamingStrategy } from '@mikro-orm/sql';
import type { Insertable } from 'kysely';
import { z } from 'zod';
import { isAddressRange } from '../config/values/addresses.ts';
import type { EntityRow } from '../database/db.ts';
import type { ApiKey, Tables } from '../database/tables.ts';
import { badUserInput } from '../errors.ts';
import type { Change } from '../observability/events.ts';
import { changesOf } from '../operations/changes.ts';
import type { OperationSettings } from '../operations/context.ts';
import {
  atMost,
  atMostLarge,
  eachItem,
  longestReason,
  mostTextBytes,
  onlyOnce,
  trimmed,
  within,
} from '../operations/input.ts';
import { mostListBytes, permissionList, standsFor } from '../plans/permissions.ts';
import { mostMembers, mostMetadataBytes } from '../plans/plan.ts';
import { readList, readMetadata } from './verify/grants.ts';
import { longestPrefix, longestSecret } from './verify/imported-keys.ts';

/** The most characters of an API key's name and of its description. */
export const longestName = 100;
export const longestDescription = 500;

/** The most address ranges of a key. */
export const mostAddresses = 50;

/** The most characters of an address range: eight groups of four digits, or six and an IPv4 address, and `/128`. */
const longestAddress = 49;

/** The most bytes of an API key's properties in an answer, as JSON. */
export const mostBytesOf = {
  name: mostTextBytes(longestName),
  description: mostTextBytes(longestDescription),
  pauseReason: mostTextBytes(longestReason),
  permissions: mostListBytes,
  metadata: mostMetadataBytes,
  allowedAddresses: 2 + mostAddresses * (longestAddress + 3),
  // Visible ASCII characters, of which a quote and a backslash have two bytes.
  keyPrefix: 2 + 2 * longestPrefix,
  // A compact JWE: the secret in base64url, with a header, an initialization vector and a tag.
  encryptedKey: Math.ceil((4 / 3) * longestSecret) + 300,
} as const;

/** Permissions that exist: those that the operator has configured, and wildcards that include one of them. */
const permissions = ({ apiKeyPermissions: known }: OperationSettings) =>
  known === null
    ? permissionList
    : permissionList.superRefine(
        eachItem((name) => known.some((each) => standsFor(name, each)), {
          message: 'Must be a permission that this provider has.',
        }),
      );

const metadata = atMostLarge(
  z.custom<Readonly<Record<string, unknown>>>(),
  mostMembers,
  mostMetadataBytes,
).meta({ maxProperties: mostMembers });

const allowedAddresses = z
  .array(z.string().meta({ pattern: String.raw`^[0-9A-Fa-f:.]{2,45}(?:/\d{1,3})?$` }))
  .refine(...atMost(mostAddresses))
  .superRefine(
    // `loopback` is a word of the configuration only.
    eachItem((text) => text !== 'loopback' && isAddressRange(text), {
      message: 'Must be an IP address or a range, such as 192.0.2.0/24.',
    }),
  )
  .refine(...onlyOnce)
  .meta({ maxItems: mostAddresses, uniqueItems: true });

/** The greatest numbers of limits that owners set. */
export const mostOf = { requests: 1_000_000, windowSeconds: 86_400, units: 1_000_000_000 } as const;

const rateLimit = z.object({
  limit: within(z.int(), 1, mostOf.requests),
  windowSeconds: within(z.int(), 1, mostOf.windowSeconds),
});

/** A key's own rate limit: the number of verifications in a window. */
export type KeyRateLimit = z.output<typeof rateLimit>;

const quota = z.object({
  limit: within(z.int(), 0, mostOf.units),
  refill: z.enum(['never', 'daily', 'monthly']),
});

/** The units of a period, and the times when a new period begins. */
export type QuotaTerms = z.output<typeof quota>;

const future = z.date().refine((moment) => moment > new Date(), {
  message: 'Must be in the future.',
  params: { type: 'datetime_future' },
});

/** The columns of a key's row that store its parts. */
export type PartColumn =
  | ('name' | 'description' | 'permissions' | 'metadata' | 'allowed_addresses')
  | ('rate_limit' | 'rate_limit_window' | 'expires_at');

/** The properties of {@link PartColumn}. */
export type StoredParts = Pick<ApiKey, keyof EntityRow<Record<PartColumn, unknown>>>;

/** A part of a key in all its forms. The quota is no such part, because it has a table of its own. */
interface Part<Rest extends string, Rule extends z.ZodType, Told> {
  /** The part's name in REST, in the audit trail, and in the lines of an import and an export. */
  readonly rest: Rest;
  /** Makes the rule for a value from the owner. */
  readonly rule: (settings: OperationSettings) => Rule;
  /** Converts a value from the owner to its stored form; null: none. */
  readonly stored: (value: z.output<Rule> | null) => Partial<StoredParts>;
  /** Converts the stored form to the form that owners see. */
  readonly told: (key: StoredParts) => Told;
  /** The form in the audit trail and in an export, if it is not what owners see. */
  readonly written?: (told: Told) => unknown;
  /**
   * Whether the audit trail only says that the part changed: it may contain anybody's personal data, and the trail is
   * kept for ever.
   */
  readonly isPersonal?: boolean;
}

const part = <const Rest extends string, Rule extends z.ZodType, Told>(row: Part<Rest, Rule, Told>) => row;

const listText = (list: readonly string[] | null): string | null =>
  list && list.length > 0 ? JSON.stringify(list) : null;

/** The parts of a key that its owner sets, by their names in GraphQL. The audit trail names changes in this order. */
export const parts = {
  name: part({
    rest: 'name',
    rule: () => trimmed(z.string(), longestName),
    stored: (name) => ({ name }),
    told: ({ name }) => name,
  }),
  description: part({
    rest: 'description',
    rule: () => trimmed(z.string(), longestDescription),
    stored: (description) => ({ description }),
    told: ({ description }) => description,
  }),
  permissions: part({
    rest: 'permissions',
    rule: permissions,
    stored: (list) => ({ permissions: listText(list) }),
    told: ({ permissions }) => readList(permissions),
  }),
  metadata: part({
    rest: 'metadata',
    rule: () => metadata,
    stored: (object) => ({ metadata: object && JSON.stringify(object) }),
    told: ({ metadata }) => readMetadata(metadata),
    isPersonal: true,
  }),
  allowedAddresses: part({
    rest: 'allowed_addresses',
    rule: () => allowedAddresses,
    stored: (list) => ({ allowedAddresses: listText(list) }),
    told: ({ allowedAddresses }) => readList(allowedAddresses),
  }),
  rateLimit: part({
    rest: 'rate_limit',
    rule: () => rateLimit,
    stored: (rate) => ({ rateLimit: rate?.limit ?? null, rateLimitWindow: rate?.windowSeconds ?? null }),
    told: ({ rateLimit, rateLimitWindow }): KeyRateLimit | null =>
      rateLimit ? { limit: rateLimit, windowSeconds: rateLimitWindow ?? 0 } : null,
    written: (rate) => rate && { limit: rate.limit, window_seconds: rate.windowSeconds },
  }),
  expiresAt: part({
    rest: 'expires_at',
    rule: () => future,
    stored: (expiresAt) => ({ expiresAt }),
    told: ({ expiresAt }) => expiresAt,
  }),
};

type Parts = typeof parts;

/** The name of a part that the key's own row stores. */
export type PartName = keyof Parts;

const rows = Object.entries(parts) as unknown as (readonly [PartName, Part<string, z.ZodType, unknown>])[];

type RestName = Parts[PartName]['rest'];

/** The properties of a key for which its owner set none. */
export const noParts: StoredParts = Object.assign({}, ...rows.map(([, { stored }]) => stored(null)));

const columnNames = new UnderscoreNamingStrategy();

const properties = Object.keys(noParts) as (keyof StoredParts)[];

/** The values of the columns that store a key's parts. */
export const columnsOf = (stored: StoredParts) =>
  Object.fromEntries(
    properties.map((name) => [columnNames.propertyToColumnName(name), stored[name]]),
  ) as Pick<Insertable<Tables['api_key']>, PartColumn>;

/** The rules for the properties of a key that its owner sets; null: none. */
export const keyParts = (settings: OperationSettings) => ({
  ...(Object.fromEntries(rows.map(([name, { rule }]) => [name, rule(settings).nullish()])) as {
    [Name in PartName]: z.ZodOptional<z.ZodNullable<ReturnType<Parts[Name]['rule']>>>;
  }),
  quota: quota.nullish(),
});

/** The checked properties of a key. */
export type KeyParts = z.output<z.ZodObject<ReturnType<typeof keyParts>>>;

/** The same values by the parts' REST names. */
export const inRest = <Values extends Readonly<Record<PartName, unknown>>>(values: Values) =>
  Object.fromEntries(rows.map(([name, { rest }]) => [rest, values[name]])) as {
    [Name in PartName as Parts[Name]['rest']]: Values[Name];
  };

/** The same values by the parts' names in GraphQL. */
export const fromRest = <Values extends { readonly [Name in RestName]?: unknown }>(values: Values) =>
  Object.fromEntries(rows.map(([name, { rest }]) => [name, values[rest as RestName]])) as {
    [Name in PartName]: Values[Parts[Name]['rest']];
  };

/** Converts properties to their stored form; a missing property keeps its earlier value. */
export const storedParts = (given: KeyParts, before: StoredParts): StoredParts => {
  const after: Partial<StoredParts> = {};
  for (const property of properties) Object.assign(after, { [property]: before[property] });
  for (const [name, { stored }] of rows)
    if (given[name] !== undefined) Object.assign(after, stored(given[name]));
  return after as StoredParts;
};

/** The parts of a key by their REST names, as an export and the audit trail have them. */
export const writtenParts = (key: StoredParts): Record<string, unknown> =>
  Object.fromEntries(
    rows.map(([, { rest, told, written = (value: unknown) => value }]) => [rest, written(told(key))]),
  );

const personal = new Set(rows.flatMap(([, { rest, isPersonal }]) => (isPersonal ? [rest] : [])));

/** The changes between two states of a key, for the audit trail. */
export const changedParts = (before: StoredParts, after: StoredParts): Change[] =>
  changesOf(writtenParts(before), writtenParts(after)).map((change) =>
    personal.has(change.field) ? { ...change, from: null, to: null } : change,
  );

/** The most bytes of a key's permissions, allowed addresses and metadata together, as JSON in UTF-8. */
const mostTogether = 4096;

const sizeOf = ({ permissions, allowedAddresses, metadata }: StoredParts): number =>
  [permissions, allowedAddresses, metadata].reduce((sum, json) => sum + Buffer.byteLength(json ?? ''), 0);

/**
 * Describes the excess of a key that is too large.
 * @returns undefined for a key that is small enough
 */
export function excessOf(after: StoredParts): string | undefined {
  const size = sizeOf(after);
  if (size <= mostTogether) return undefined;
  return `Permissions, allowed addresses and metadata must have at most ${mostTogether} bytes together, as JSON. These have ${size}.`;
}

/**
 * Refuses a key that is too large.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export function assertSize(after: StoredParts): void {
  const message = excessOf(after);
  if (message !== undefined) throw badUserInput([{ path: [], message, type: 'too_long' }]);
}
