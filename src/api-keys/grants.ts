import { LRUCache } from 'lru-cache';
import { createAddressTest } from '../config/addresses.ts';
import { standsFor } from './permissions.ts';

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
