import { LRUCache } from 'lru-cache';
import { createAddressTest } from '../../config/values/addresses.ts';
import { isObject, isTexts, parseStored } from '../../database/stored-values.ts';
import type { Ceiling } from '../../plans/ceiling.ts';
import { standsFor } from '../../plans/permissions.ts';

/**
 * Parses the stored permissions or addresses of a key; a list that was never set becomes an empty list.
 * @throws {UnexpectedValueError} if the text is no list of texts
 */
export const readList = (stored: string | null | undefined): readonly string[] =>
  stored == null ? [] : parseStored('a list of an API key', stored, isTexts);

/**
 * Parses the stored metadata of a key; null: never set.
 * @throws {UnexpectedValueError} if the text is no JSON object
 */
export const readMetadata = (stored: string | null | undefined) =>
  stored == null ? null : parseStored('api_key, metadata', stored, isObject);

/**
 * What a key may do: its permissions, as far as they lie within what its account may have.
 * @param stored the key's stored list
 * @param ceiling null: no bound
 */
export const permissionsWithin = (stored: string | null, ceiling: Ceiling | null): readonly string[] =>
  ceiling === null ? readList(stored) : ceiling.within(stored);

/**
 * Whether a key has all requested permissions; a key without a list has none.
 * @param stored the key's stored list
 * @param ceiling the bound of what its account may have; null: none
 */
export function hasAll(stored: string | null, ceiling: Ceiling | null, asked: readonly string[]): boolean {
  if (asked.length === 0) return true;
  const held = permissionsWithin(stored, ceiling);
  return asked.every((wanted) => held.some((each) => standsFor(each, wanted)));
}

/** Address tests, by stored list: making a test for 50 ranges takes 90 µs, running it 2 µs. */
const tests = new LRUCache<string, (address: string) => boolean>({
  max: 1000,
  memoMethod: (stored) => createAddressTest(readList(stored)),
});

/**
 * Whether a key works from an address.
 * @param stored the key's stored address ranges; null: any address
 * @param address null if unknown
 */
export const isAllowedFrom = (stored: string | null, address: string | null): boolean =>
  stored === null || (address !== null && tests.memo(stored)(address));
