import { z } from 'zod';
import { atMost, eachItem, onlyOnce } from '../operations/input.ts';

/** The most permissions of a key, and of one question. */
export const mostPermissions = 50;

/** The most characters of a permission. */
export const longestPermission = 100;

/** The most bytes of a list of permissions, as JSON: quotes and a comma with each. */
export const mostListBytes = 2 + mostPermissions * (longestPermission + 3);

const pattern = `^[a-z0-9._:*-]{1,${longestPermission}}$`;
const wellFormed = new RegExp(pattern);

/** Whether a text names one or several permissions: `documents.read`, `documents.*`, `*`. */
export const isPermission = (text: string): boolean => wellFormed.test(text);

/** A list of permissions, each once. */
export const permissionList = z
  .array(z.string().meta({ pattern }))
  .refine(...atMost(mostPermissions))
  .superRefine(
    eachItem(isPermission, {
      message: `Must be 1 to ${longestPermission} characters of a-z, 0-9, and . _ : * -`,
      params: { type: 'string_pattern_mismatch' },
    }),
  )
  .refine(...onlyOnce)
  .meta({ maxItems: mostPermissions, uniqueItems: true });

/**
 * Whether a key's permission includes a requested one: `documents.*` includes all permissions below it, `*` includes
 * all.
 */
export const standsFor = (held: string, wanted: string): boolean =>
  held === wanted ||
  held === '*' ||
  (held.endsWith('.*') && wanted.length > held.length - 1 && wanted.startsWith(held.slice(0, -1)));

/** The narrower of two permissions; undefined if nothing is included in both. */
const narrower = (one: string, other: string): string | undefined => {
  if (standsFor(one, other)) return other;
  return standsFor(other, one) ? one : undefined;
};

/**
 * What is included in both of two lists, in its shortest form: without what another of its permissions includes.
 * `["documents.*", "billing.read"]` and `["documents.read", "*.read"]` → `["documents.read"]`
 */
export function intersection(some: readonly string[], others: readonly string[]): readonly string[] {
  const both = new Set(some.flatMap((one) => others.map((other) => narrower(one, other))));
  both.delete(undefined);
  const list = [...both] as string[];
  return list.filter((each) => !list.some((other) => other !== each && standsFor(other, each)));
}
