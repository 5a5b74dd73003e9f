import { z } from 'zod';
import { isAddressRange } from '../config/addresses.ts';
import type { ApiKey } from '../database/tables.ts';
import type { Change } from '../observability/events.ts';
import { changesOf } from '../operations/audited.ts';
import type { OperationLimits } from '../operations/context.ts';
import { atMost, eachItem, onlyOnce, trimmed } from '../operations/input.ts';
import { permissionList, readList, standsFor } from './grants.ts';

/** The display name of an API key; null: none. */
const apiKeyName = trimmed(z.string(), 100).nullable();

/** The most address ranges of a key, and members of its metadata. */
const mostAddresses = 50;
const mostMembers = 50;

/** The most bytes of a key's metadata, as JSON in UTF-8. */
const mostBytes = 2048;

/** Permissions that exist: those that the operator has configured, and wildcards that include one of them. */
const permissions = ({ apiKeyPermissions: known }: OperationLimits) =>
  known === null
    ? permissionList
    : permissionList.superRefine(
        eachItem((name) => known.some((each) => standsFor(name, each)), {
          message: 'Is no permission that exists here.',
        }),
      );

const metadata = z
  .custom<Readonly<Record<string, unknown>>>()
  .refine((object) => Object.keys(object).length <= mostMembers, {
    message: `Must have at most ${mostMembers} members.`,
    params: { type: 'too_long' },
  })
  .refine((object) => Buffer.byteLength(JSON.stringify(object)) <= mostBytes, {
    message: `Must have at most ${mostBytes} bytes as JSON.`,
    params: { type: 'too_long' },
  })
  .meta({ maxProperties: mostMembers });

const allowedAddresses = z
  .array(z.string().meta({ pattern: String.raw`^[0-9A-Fa-f:.]{2,45}(?:/\d{1,3})?$` }))
  .refine(...atMost(mostAddresses))
  .superRefine(
    // `loopback` is a word of the configuration only.
    eachItem((text) => text !== 'loopback' && isAddressRange(text), {
      message: 'Must be an IP address or a range of them, such as 192.0.2.0/24.',
    }),
  )
  .refine(...onlyOnce)
  .meta({ maxItems: mostAddresses, uniqueItems: true });

const within = (min: number, max: number) =>
  z.int().min(min, `Must be at least ${min}.`).max(max, `Must be at most ${max}.`);

const rateLimit = z.object({ limit: within(1, 1_000_000), windowSeconds: within(1, 86_400) });

const quota = z.object({ limit: within(0, 1_000_000_000), refill: z.enum(['never', 'daily', 'monthly']) });

/** The units of a period, and the times when a new period begins. */
export type QuotaTerms = z.output<typeof quota>;

/** The properties of a key that its owner sets; null: none. */
export const keyParts = (limits: OperationLimits) => ({
  name: apiKeyName.optional(),
  permissions: permissions(limits).nullish(),
  metadata: metadata.nullish(),
  allowedAddresses: allowedAddresses.nullish(),
  rateLimit: rateLimit.nullish(),
  quota: quota.nullish(),
  expiresAt: z
    .date()
    .refine((moment) => moment > new Date(), {
      message: 'Must lie in the future.',
      params: { type: 'datetime_future' },
    })
    .nullish(),
});

/** The checked properties of a key. */
export type KeyParts = z.output<z.ZodObject<ReturnType<typeof keyParts>>>;

/** The properties that are in the key's own row. */
export type StoredParts = Pick<
  ApiKey,
  'name' | 'permissions' | 'metadata' | 'allowedAddresses' | 'rateLimit' | 'rateLimitWindow' | 'expiresAt'
>;

const listText = (list: readonly string[] | null): string | null =>
  list && list.length > 0 ? JSON.stringify(list) : null;

/** Converts properties to their stored form; a missing property keeps its earlier value. */
export const storedParts = (
  { name, permissions, metadata, allowedAddresses, rateLimit, expiresAt }: KeyParts,
  before: StoredParts,
): StoredParts => ({
  name: name === undefined ? before.name : name,
  permissions: permissions === undefined ? before.permissions : listText(permissions),
  metadata: metadata === undefined ? before.metadata : metadata && JSON.stringify(metadata),
  allowedAddresses: allowedAddresses === undefined ? before.allowedAddresses : listText(allowedAddresses),
  rateLimit: rateLimit === undefined ? before.rateLimit : (rateLimit?.limit ?? null),
  rateLimitWindow: rateLimit === undefined ? before.rateLimitWindow : (rateLimit?.windowSeconds ?? null),
  expiresAt: expiresAt === undefined ? before.expiresAt : expiresAt,
});

/** A key's own rate limit. */
export interface KeyRateLimit {
  /** The number of verifications in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/**
 * Converts stored properties to the form that owners see. A repeated answer from before these properties existed
 * lacks them.
 */
export const toldParts = (key: StoredParts) => ({
  permissions: readList(key.permissions ?? null),
  metadata: key.metadata ? (JSON.parse(key.metadata) as Record<string, unknown>) : null,
  allowedAddresses: readList(key.allowedAddresses ?? null),
  rateLimit: key.rateLimit
    ? ({ limit: key.rateLimit, windowSeconds: key.rateLimitWindow ?? 0 } satisfies KeyRateLimit)
    : null,
});

const inTrail = (key: StoredParts) => {
  const { permissions, metadata, allowedAddresses, rateLimit } = toldParts(key);
  return {
    name: key.name,
    permissions,
    metadata,
    allowed_addresses: allowedAddresses,
    rate_limit: rateLimit && { limit: rateLimit.limit, window_seconds: rateLimit.windowSeconds },
    expires_at: key.expiresAt,
  };
};

/**
 * The changes between two states of a key, for the audit trail. For metadata, the trail only says that it changed: it
 * may contain anybody's personal data, and the trail is kept for ever.
 */
export const changedParts = (before: StoredParts, after: StoredParts): Change[] =>
  changesOf(inTrail(before), inTrail(after)).map((change) =>
    change.field === 'metadata' ? { ...change, from: null, to: null } : change,
  );

/** The properties of a key for which its owner set none. */
export const noParts: StoredParts = {
  name: null,
  permissions: null,
  metadata: null,
  allowedAddresses: null,
  rateLimit: null,
  rateLimitWindow: null,
  expiresAt: null,
};
