import type { ResultOf } from 'gql.tada';
import type { grantParts } from './grant-parts.ts';

/** What a plan bounds; null: there is no bound. */
export type Grant = ResultOf<typeof grantParts>;

/** Whether a permission includes another, as the service has it: `documents.*` includes all that begins so. */
export const includes = (held: string, wanted: string): boolean =>
  held === wanted ||
  held === '*' ||
  (held.endsWith('.*') && wanted.length > held.length - 1 && wanted.startsWith(held.slice(0, -1)));

/** A permission of a key that does not work as it stands. */
export interface LostPermission {
  readonly permission: string;
  /** The permissions that are left of it; empty: none. */
  readonly left: readonly string[];
}

/**
 * The permissions of a key that lie beyond what the plan allows.
 * @param ceiling the permissions of the plan; null: there is no bound
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
