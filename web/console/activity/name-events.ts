import type { ResultOf } from 'gql.tada';
import type { auditEventsQuery } from './documents.ts';

/** Something that the person has changed. */
export type AuditEvent = ResultOf<typeof auditEventsQuery>['auditEvents']['edges'][number]['node'];

/** An event, with what API keys were called then. */
export interface NamedEvent extends AuditEvent {
  /** What the key was called after it; null where it had no name or it is not known. */
  readonly name: string | null;
  /** The key that was the default before it: its number, and what it was called. */
  readonly former: { readonly id: number; readonly name: string | null } | null;
}

const nameIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** What a key was called before an event; undefined where it was called the same. */
function nameBefore({ action, changes }: AuditEvent): string | null | undefined {
  const renamed = changes.find(({ field }) => field === 'name');
  if (renamed) return nameIn(renamed.from);
  // From before changes were kept: nobody knows what it was called until then.
  return action === 'api-key-renamed' ? null : undefined;
}

/**
 * Gives each event the names that keys had then: read from now back into the past, each change of a name tells the one
 * before.
 * @param events the newest first
 * @param current what keys are called now, by their number
 */
export function nameEvents(
  events: readonly AuditEvent[],
  current: ReadonlyMap<number, string | null>,
): NamedEvent[] {
  const names = new Map(current);
  return events.map((event) => {
    const { targetId, changes } = event;
    const changed = (part: string, side: 'from' | 'to') =>
      changes.find(({ field }) => field === part)?.[side];
    const name = nameIn(changed('name', 'to')) ?? names.get(targetId ?? 0) ?? null;
    const formerId = changed('default_key_id', 'from');
    const former = typeof formerId === 'number' ? { id: formerId, name: names.get(formerId) ?? null } : null;
    const before = nameBefore(event);
    if (targetId !== null && before !== undefined) names.set(targetId, before);
    return { ...event, name, former };
  });
}
