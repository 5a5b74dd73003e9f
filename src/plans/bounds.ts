import { badUserInput } from '../errors.ts';
import type { Entitlement } from './entitlement-of.ts';

const millisecondsPerDay = 86_400_000;

/** The most permissions that a refusal names. */
const mostNamed = 10;

const listed = (names: readonly string[]): string =>
  names.length > mostNamed ? `${names.slice(0, mostNamed).join(', ')} and others` : names.join(', ');

/**
 * Refuses permissions that an account may not give to a key.
 * @param permissions those that the key gets; not those that it has already, since a lowered plan takes none away
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export function assertEntitled({ ceiling }: Entitlement, permissions: readonly string[]): void {
  const beyond = permissions.filter((permission) => ceiling && !ceiling.includes(permission));
  if (beyond.length === 0) return;
  const allowed = listed(ceiling?.permissions ?? []) || 'none';
  const message = `Your account may have only these permissions: ${allowed}. Remove: ${listed(beyond)}.`;
  throw badUserInput([{ path: ['permissions'], message, type: 'permission_not_entitled' }]);
}

/**
 * What an account may have, within the longest life that the operator allows every key.
 * @param most in days; null: no bound
 */
export const withinDays = (entitlement: Entitlement, most: number | null): Entitlement =>
  most === null || (entitlement.maxKeyDays ?? Number.POSITIVE_INFINITY) <= most
    ? entitlement
    : { ...entitlement, maxKeyDays: most };

/**
 * The end of a key that names none; null: it does not expire.
 * @param days the usual life of a key; null: none
 */
export const usualEnd = (entitlement: Entitlement, createdAt: Date, days: number | null): Date | null =>
  latestEnd(withinDays(entitlement, days), createdAt);

/** The latest end of a key's life; null: there is no bound. */
export const latestEnd = ({ maxKeyDays }: Entitlement, createdAt: Date): Date | null =>
  maxKeyDays === null ? null : new Date(createdAt.getTime() + maxKeyDays * millisecondsPerDay);

/**
 * Refuses a life that is longer than an account may give to a key.
 * @param expiresAt null: the key does not expire
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export function assertLife(entitlement: Entitlement, createdAt: Date, expiresAt: Date | null): void {
  const latest = latestEnd(entitlement, createdAt);
  if (latest === null || (expiresAt !== null && expiresAt <= latest)) return;
  const message = `Must be at or before ${latest.toISOString()}: keys of your account last at most ${entitlement.maxKeyDays} days.`;
  throw badUserInput([{ path: ['expiresAt'], message, type: 'less_than_equal' }]);
}
