// Several updates of one key that no receiver was told of become one message: what counts is what was before the
// first and what is after the last.

import type { Change } from '../../observability/events.ts';
import { isShortened } from '../../operations/changes.ts';

/** The type of events that may become one. */
export const mergedType = 'api_key.updated';

/** What of a message says who did it, and what. */
interface Deed {
  readonly by: string;
  readonly member_id?: number | null;
  readonly changes: readonly Change[];
}

type Message = { readonly data: Deed & object };

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const without = (list: readonly unknown[], other: readonly unknown[]): unknown[] => {
  const others = new Set(other);
  return list.filter((item) => !others.has(item));
};

/** Whether nothing can be said of two changes of a field, since only the beginning of a value is known. */
const isUnclear = (...changes: readonly Change[]): boolean =>
  changes.some(({ from, to }) => isShortened(from) || isShortened(to));

/** One change in place of two of the same field; undefined if nothing has changed in the end. */
function mergeChange({ field, from, to }: Change, later: Change): Change | undefined {
  // Of a list, a change tells what left and what joined.
  if (isList(from) && isList(to) && isList(later.from) && isList(later.to)) {
    const left = [...without(from, later.to), ...without(later.from, to)];
    const joined = [...without(to, later.from), ...without(later.to, from)];
    return left.length + joined.length > 0 ? { field, from: left, to: joined } : undefined;
  }
  return JSON.stringify(from) === JSON.stringify(later.to) ? undefined : { field, from, to: later.to };
}

/**
 * Makes one message of two about the same API key, of the type {@link mergedType}.
 * @param earlier the message that waits, as JSON
 * @param later the next message, as JSON
 * @returns the later message with the changes of both, as JSON; undefined if they cannot become one: they are not by
 *   the same, or change the same field and only the beginning of a value is known
 */
export function mergeMessages(earlier: string, later: string): string | undefined {
  const [first, second]: [Message, Message] = [JSON.parse(earlier), JSON.parse(later)];
  const isBySame = (first.data.member_id ?? null) === (second.data.member_id ?? null);
  if (first.data.by !== second.data.by || !isBySame) return;
  const changes = new Map(first.data.changes.map((change) => [change.field, change]));
  for (const change of second.data.changes) {
    const before = changes.get(change.field);
    if (before && isUnclear(before, change)) return;
    const merged = before ? mergeChange(before, change) : change;
    changes.delete(change.field);
    if (merged) changes.set(change.field, merged);
  }
  return JSON.stringify({ ...second, data: { ...second.data, changes: [...changes.values()] } });
}
