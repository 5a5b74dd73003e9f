import type { ResultOf } from 'gql.tada';
import type { auditEventsQuery } from './documents.ts';

/** An event of the audit trail. */
export type AuditEvent = ResultOf<typeof auditEventsQuery>['auditEvents']['edges'][number]['node'];

/** The names that the API keys of an event had at that time. */
interface Names {
  /** The name of the key after the event; null if it had none, or if the name is not known. */
  readonly name: string | null;
  /** The former default key: its id, and its name at that time. */
  readonly former: { readonly id: number; readonly name: string | null } | null;
}

/** An event, with the names that its API keys had at that time. */
export type NamedEvent = AuditEvent & Names;

const nameIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The name of a key before an event; undefined if the event did not change it. */
function nameBefore({ action, changes }: AuditEvent): string | null | undefined {
  const renamed = changes.find(({ field }) => field === 'name');
  if (renamed) return nameIn(renamed.from);
  // An old event, kept without its changes: the earlier name is not known.
  return action === 'api-key-renamed' ? null : undefined;
}

/**
 * Gives each event the names that its keys had at that time. It reads from today backwards: each rename tells the name
 * before it.
 * @param events the newest first
 * @param current the current names of keys, by id
 */
export function nameEvents<Event extends AuditEvent>(
  events: readonly Event[],
  current: ReadonlyMap<number, string | null>,
): (Event & Names)[] {
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
