import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { createAddressTest } from '../config/addresses.ts';
import { atMost, eachItem, onlyOnce } from '../operations/input.ts';

/** The most permissions that a key may have, or that may be asked for at once. */
const most = 50;

const pattern = '^[a-z0-9._:*-]{1,100}$';
const wellFormed = new RegExp(pattern);

/** Whether a text is the name of a permission, or of several: `documents.read`, `documents.*`, `*`. */
export const isPermission = (text: string): boolean => wellFormed.test(text);

/** Names of permissions, each of them once. */
export const permissionList = z
  .array(z.string().meta({ pattern }))
  .refine(...atMost(most))
  .superRefine(
    eachItem(isPermission, {
      message: 'Must be 1 to 100 characters of a-z, 0-9, and . _ : * -',
      params: { type: 'string_pattern_mismatch' },
    }),
  )
  .refine(...onlyOnce)
  .meta({ maxItems: most, uniqueItems: true });

/** Whether a permission of a key stands for one that is asked for: `documents.*` for all below, `*` for all. */
export const standsFor = (held: string, wanted: string): boolean =>
  held === wanted ||
  held === '*' ||
  (held.endsWith('.*') && wanted.length > held.length - 1 && wanted.startsWith(held.slice(0, -1)));

/** A list as a key keeps it; null: none was set. */
export const readList = (stored: string | null): readonly string[] =>
  stored === null ? [] : JSON.parse(stored);

/**
 * Whether a key has all permissions that are asked for; one of which none was set has none.
 * @param stored as the key keeps them
 */
export function hasAll(stored: string | null, asked: readonly string[]): boolean {
  if (asked.length === 0) return true;
  const held = readList(stored);
  return asked.every((wanted) => held.some((each) => standsFor(each, wanted)));
}

/** Tests by what keys keep: to make one for 50 ranges takes 90 µs, to ask it 2. */
const tests = new LRUCache<string, (address: string) => boolean>({
  max: 1000,
  memoMethod: (stored) => createAddressTest(JSON.parse(stored)),
});

/**
 * Whether a key may be used from an address.
 * @param stored as the key keeps its ranges; null: it may be used from anywhere
 * @param address null where it is not known
 */
export const isAllowedFrom = (stored: string | null, address: string | null): boolean =>
  stored === null || (address !== null && tests.memo(stored)(address));
