import { LRUCache } from 'lru-cache';
import { createAddressTest } from '../config/address-range.ts';

/** From where a key may be used: from anywhere where nothing was set. */
export const readAddresses = (stored: string | null): readonly string[] =>
  stored === null ? [] : JSON.parse(stored);

/**
 * Tests by what keys keep: to make one for 50 ranges takes 90 µs, to ask one takes 2. Those that were not asked for
 * longest are made again.
 */
const tests = new LRUCache<string, (address: string) => boolean>({
  max: 1000,
  memoMethod: (stored) => createAddressTest(readAddresses(stored)),
});

/**
 * Whether a key may be used from an address.
 * @param stored as a key keeps its ranges; null: it may be used from anywhere
 * @param address null where it is not known
 */
export const isAllowedFrom = (stored: string | null, address: string | null): boolean =>
  stored === null || (address !== null && tests.memo(stored)(address));
