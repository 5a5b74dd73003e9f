import type { ResultOf } from 'gql.tada';
import type { grantParts } from './grant-parts.ts';

/** The limits of a plan. Null means no limit. */
export type Grant = ResultOf<typeof grantParts>;

/** Whether a permission includes another, as in the service: `documents.*` includes `documents.read`. */
export const includes = (held: string, wanted: string): boolean =>
  held === wanted ||
  held === '*' ||
  (held.endsWith('.*') && wanted.length > held.length - 1 && wanted.startsWith(held.slice(0, -1)));

/** A permission of a key that the plan does not allow in full. */
export interface LostPermission {
  readonly permission: string;
  /** The permissions that are left of it; empty if none are. */
  readonly left: readonly string[];
}

/**
 * The permissions of a key that the plan does not allow.
 * @param ceiling the permissions that the plan allows; null for any
 */
export const lostOf = (
  permissions: readonly string[],
  ceiling: readonly string[] | null,
): LostPermission[] =>
  ceiling === null
    ? []
    : permissions
        .filter((permission) => !ceiling.some((allowed) => includes(allowed, permission)))
        .map((permission) => ({
          permission,
          left: ceiling.filter((allowed) => includes(permission, allowed)),
        }));
