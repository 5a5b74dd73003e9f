import { z } from 'zod';
import type { Grant } from '../operations/context.ts';
import { atMostLarge, within } from '../operations/input.ts';
import { mostListBytes, permissionList } from './permissions.ts';

/** The pattern of a plan's name: 1 to 100 visible ASCII characters, with spaces between them. A header carries it. */
export const planNamePattern = String.raw`^[\x21-\x7e](?:[\x20-\x7e]{0,98}[\x21-\x7e])?$`;

/** The most members of a plan's or a key's metadata, and its most bytes as JSON in UTF-8. */
export const mostMembers = 50;
export const mostMetadataBytes = 2048;

/** The most bytes of what is granted, as JSON. */
export const mostBytesOf = {
  // 100 visible ASCII characters, of which a quote and a backslash have two bytes.
  plan: 202,
  permissions: mostListBytes,
  metadata: mostMetadataBytes,
  // The other members are numbers.
  overrides: mostListBytes + mostMetadataBytes + 400,
} as const;

const only = (names: readonly string[]) => ({
  error: ({ code }: { code?: string }) =>
    code === 'unrecognized_keys' ? `May only have the members ${names.join(', ')}.` : undefined,
});

/** The members of a plan, as the plans file spells them. Each may be missing. */
const members = {
  permissions: permissionList,
  rate_limit: z.strictObject(
    { limit: within(z.int(), 1, 1_000_000), window_seconds: within(z.int(), 1, 86_400) },
    only(['limit', 'window_seconds']),
  ),
  quota: z.strictObject(
    {
      limit: within(z.int(), 0, 1_000_000_000),
      refill: z.enum(['never', 'daily', 'monthly'], 'Must be never, daily or monthly.'),
    },
    only(['limit', 'refill']),
  ),
  max_active_keys: within(z.int(), 0, 100_000),
  max_key_days: within(z.int(), 1, 36_500),
  metadata: atMostLarge(z.record(z.string(), z.json()), mostMembers, mostMetadataBytes),
};

const names = Object.keys(members);

/** A plan of the plans file. */
export const planSchema = z.strictObject(members, only(names)).partial();

/** The members of a plan that an account has in place of its plan's own; null lifts a bound. */
export const overridesSchema = z.strictObject(
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member.nullish()])) as {
    [Name in keyof typeof members]: z.ZodOptional<z.ZodNullable<(typeof members)[Name]>>;
  },
  only(names),
);

/** The members that an account has in place of its plan's own, as they are stored. */
export type Overrides = z.output<typeof overridesSchema>;

/** Grants nothing and bounds nothing. */
const noGrant: Grant = {
  permissions: null,
  rateLimit: null,
  quota: null,
  maxActiveKeys: null,
  maxKeyDays: null,
  metadata: null,
};

/** A value that was given, null included, or else the usual one. */
const or = <Value>(given: Value | undefined, usual: Value): Value => (given === undefined ? usual : given);

/**
 * What a plan or overrides grant.
 * @param usual the grant that counts for missing members
 */
export const grantOf = ({ rate_limit: rate, ...given }: Overrides, usual = noGrant): Grant => ({
  permissions: or(given.permissions, usual.permissions),
  rateLimit: or(rate && { limit: rate.limit, windowSeconds: rate.window_seconds }, usual.rateLimit),
  quota: or(given.quota, usual.quota),
  maxActiveKeys: or(given.max_active_keys, usual.maxActiveKeys),
  maxKeyDays: or(given.max_key_days, usual.maxKeyDays),
  metadata: or(given.metadata, usual.metadata),
});
