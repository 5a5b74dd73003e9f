import { createHash } from 'node:crypto';
import type { Change } from '../observability/events.ts';

/**
 * The most bytes that the audit trail keeps of one value, as JSON in UTF-8. The longest name of a key fits in, also
 * if JSON writes each of its characters with six.
 */
export const longestKept = 640;

/** Stands for a value that is too long for the audit trail. */
interface Digest {
  /** SHA-256 of the value's JSON, in hexadecimal digits. */
  readonly sha256: string;
  /** The length of the value's JSON, in bytes. */
  readonly bytes: number;
}

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

function shorten(value: unknown): unknown {
  const json = JSON.stringify(value);
  const bytes = Buffer.byteLength(json);
  if (bytes <= longestKept) return value;
  return { sha256: createHash('sha256').update(json).digest('hex'), bytes } satisfies Digest;
}

/**
 * Makes the `details` of an audit event. A person writes these rows as often as the limits allow, and they are kept
 * for ever: a digest stands for each value above {@link longestKept} bytes.
 * @returns null without changes
 */
export function detailsOf(changes: readonly Change[]): string | null {
  if (changes.length === 0) return null;
  return JSON.stringify(
    changes.map(({ field, from, to }) => ({ field, from: shorten(from), to: shorten(to) })),
  );
}
