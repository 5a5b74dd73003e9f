import type { Language } from '../../messages/language.ts';
import { includes } from '../plan/grant.ts';

/** What a key may do: nothing that needs a permission, what its permissions name, or everything. */
export type MayDo = 'nothing' | 'these' | 'everything';

/** What a key with these permissions may do. */
export const mayDoOf = (permissions: readonly string[]): MayDo => {
  if (permissions.includes('*')) return 'everything';
  return permissions.length === 0 ? 'nothing' : 'these';
};

/** A permission that a person can choose for a key. */
export interface OfferedPermission {
  readonly permission: string;
  /** Why the permission does not work, or does not work in full. */
  readonly note?: string;
  /** Whether it can be chosen. */
  readonly isOpen: boolean;
}

/** What a person can choose for a key. */
export interface Offer {
  readonly boxes: readonly OfferedPermission[];
  /** Whether there can be other permissions than those with a box. */
  readonly canType: boolean;
  /** Whether there is a permission to choose. */
  readonly canChoose: boolean;
  /** Whether the key can have `*`. */
  readonly canHaveAll: boolean;
  /** Whether the plan limits permissions. */
  readonly isWithinPlan: boolean;
  /** The choice at first. If nobody lists permissions, the service may well have none. */
  readonly usual: MayDo;
}

interface Known {
  /** The permissions that the provider lists; null if it lists none. */
  readonly listed: readonly string[] | null;
  /** The permissions that the plan allows; null for any. */
  readonly ceiling: readonly string[] | null;
  /** The permissions of the person's other keys. */
  readonly used: readonly string[];
  /** The current permissions of the key. */
  readonly before: readonly string[];
}

const isWildcard = (permission: string): boolean => permission.endsWith('*');

/** The group of a permission: its name before the first dot or colon; empty for a name without them. */
export const groupOf = (permission: string): string => /^([^.:*]+)[.:]/.exec(permission)?.[1] ?? '';

/** What a person can choose for a key: what the provider lists, or what the plan allows, or what other keys have. */
export function offerPermissions(
  { text, compare }: Language,
  { listed, ceiling, used, before }: Known,
): Offer {
  const bound = ceiling?.includes('*') ? null : ceiling;
  const isKnown = (permission: string) =>
    listed === null || listed.some((each) => includes(permission, each));
  const isInPlan = (permission: string) =>
    bound === null || bound.some((allowed) => includes(allowed, permission));
  const noteOf = (permission: string) => {
    if (!isKnown(permission)) return text('keys.permission-not-offered');
    return isInPlan(permission) ? undefined : text('keys.permission-not-in-plan');
  };
  const offered = new Set([...(listed ?? bound ?? used), ...before]);
  // It is a choice of its own.
  offered.delete('*');
  const boxes = [...offered].toSorted(compare).map((permission): OfferedPermission => {
    const note = noteOf(permission);
    return {
      permission,
      isOpen: note === undefined || before.includes(permission),
      ...(note !== undefined && { note }),
    };
  });
  const hasOpen = boxes.some(({ isOpen }) => isOpen);
  const canType = listed === null && (bound === null || bound.some(isWildcard));
  return {
    boxes,
    canType,
    canChoose: canType || hasOpen,
    canHaveAll: bound === null || before.includes('*'),
    isWithinPlan: bound !== null,
    usual: (listed ?? bound) !== null && hasOpen ? 'these' : 'nothing',
  };
}

/** The most permissions of other keys to offer. */
const mostUsed = 30;

/** The permissions that most keys have, without `*`. */
export function usedPermissions(
  keys: readonly { readonly isActive: boolean; readonly permissions: readonly string[] }[],
): string[] {
  const counts = new Map<string, number>();
  for (const { isActive, permissions } of keys)
    if (isActive) for (const each of permissions) counts.set(each, (counts.get(each) ?? 0) + 1);
  counts.delete('*');
  return [...counts]
    .sort(([, some], [, others]) => others - some)
    .slice(0, mostUsed)
    .map(([permission]) => permission);
}
