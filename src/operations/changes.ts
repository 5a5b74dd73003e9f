import type { Change } from '../observability/events.ts';

/** The most bytes of an event's changes, as JSON in UTF-8. The trail is kept for ever. */
export const mostDetails = 1024;

/**
 * The most bytes that the audit trail keeps of one value, as JSON in UTF-8. The longest name of a key fits in, also
 * if JSON writes each of its characters with six. If an event would be too long, the next number counts.
 */
const mostKept = [640, 320, 160, 40] as const;

/** The most bytes of a value in the audit trail. */
export const longestKept = mostKept[0];

/** Stands for a value that is too long for the audit trail. */
interface Beginning {
  /** The first characters of the value's JSON. */
  readonly starts: string;
  /** The length of the value's JSON, in bytes. */
  readonly bytes: number;
}

/**
 * Whether only the beginning of a value was kept. Nothing can be said of two changes of it. A value that looks the same
 * counts as one.
 */
export const isShortened = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'starts' in value && 'bytes' in value;

const without = (list: readonly unknown[], other: readonly unknown[]): readonly unknown[] => {
  const others = new Set(other);
  return list.filter((item) => !others.has(item));
};

/** A change of a list shows only what left the list and what joined it: the rest would be kept with each change. */
const ofList = ({ field, from, to }: Change): Change =>
  Array.isArray(from) && Array.isArray(to)
    ? { field, from: without(from, to), to: without(to, from) }
    : { field, from, to };

/**
 * Lists the members that differ between two states. Every member must be JSON; the items of a list must be scalars.
 * If only the order of a list differs, both of its values are empty.
 *
 * `{ name: "a" }`, `{ name: "b" }` → `[{ field: "name", from: "a", to: "b" }]`
 *
 * `{ events: ["a", "b"] }`, `{ events: ["b", "c"] }` → `[{ field: "events", from: ["a"], to: ["c"] }]`
 */
export function changesOf<State extends object>(from: State, to: State): Change[] {
  const text = (value: unknown) => JSON.stringify(value ?? null);
  return (Object.keys(to) as (keyof State & string)[])
    .filter((field) => text(from[field]) !== text(to[field]))
    .map((field) => ofList({ field, from: from[field] ?? null, to: to[field] ?? null }));
}

function shorten(value: unknown, most: number): unknown {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes <= most) return value;
  // A character may take four bytes, or two as JSON within JSON.
  return { starts: json.slice(0, most / 4).toWellFormed(), bytes } satisfies Beginning;
}

/**
 * Makes the `details` of an audit event. A person writes these rows as often as the limits allow, and they are kept
 * for ever: of long values, only the beginning and the length are kept, so that all changes have at most
 * {@link mostDetails} bytes.
 * @returns null without changes
 */
export function detailsOf(changes: readonly Change[]): string | null {
  if (changes.length === 0) return null;
  const shortened = (most: number) =>
    JSON.stringify(
      changes.map(({ field, from, to }) => ({ field, from: shorten(from, most), to: shorten(to, most) })),
    );
  let details = '';
  for (const most of mostKept) {
    details = shortened(most);
    if (Buffer.byteLength(details) <= mostDetails) break;
  }
  return details;
}
