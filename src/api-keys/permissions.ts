import { z } from 'zod';

/** What a permission is called: `documents.read`. */
export const permissionPattern = /^[a-z0-9._:*-]{1,100}$/;

/** The most permissions that a key has, and that a question names. */
export const mostPermissions = 50;

/** Permissions as an input: each once, in the order in which they came. */
export const permissionNames = z
  .array(
    z
      .string()
      .regex(
        permissionPattern,
        'Must be 1 to 100 of the characters a to z, 0 to 9, ".", "_", ":", "*", "-".',
      ),
  )
  .max(mostPermissions, `Must have at most ${mostPermissions} names.`)
  .transform((names) => [...new Set(names)]);

/** The permissions of a key: none where none was set. */
export const readPermissions = (stored: string | null): readonly string[] =>
  stored === null ? [] : JSON.parse(stored);

/**
 * Those of some permissions that a key lacks. `documents.*` of a key stands for all that begins with `documents.`, and
 * `*` for all.
 * @param stored as a key keeps its permissions
 */
export function lacking(asked: readonly string[], stored: string | null): readonly string[] {
  if (asked.length === 0) return asked;
  const names = new Set(readPermissions(stored));
  const beginnings = [...names].filter((name) => /(^|\.)\*$/.test(name)).map((name) => name.slice(0, -1));
  return asked.filter((name) => !names.has(name) && !beginnings.some((each) => name.startsWith(each)));
}
