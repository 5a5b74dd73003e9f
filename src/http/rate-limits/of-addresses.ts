import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Rate } from '../../config/config.ts';
import { createAddressTest } from '../../config/values/addresses.ts';
import type { Exchange, Middleware } from '../exchange.ts';
import {
  type Limiter,
  RateCounts,
  type RateUse,
  rateFields,
  secondsUntilReset,
  tooManyRequests,
} from './limiter.ts';
import type { SharedCounts } from './shared-counts.ts';

/**
 * The client that an address counts for: an IPv4 address itself, or the /64 network of an IPv6 address, because a
 * client with one address of the network has all of them. `2001:db8::1` counts for `2001:db8::/64`.
 * @param address in its canonical spelling
 */
export const clientKeyOf = (address: string): string =>
  isIPv6(address) ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64` : address;

/**
 * Counts each request of a client address, before any check of its token, so that it also limits guesses of tokens.
 * @param exempt addresses and ranges that do not count
 */
export function limitAddress(limit: Limiter, exempt: readonly string[]): Middleware {
  const isExempt = createAddressTest(exempt);
  return (next) => async (exchange) => {
    const address = exchange.address ?? '';
    if (!isExempt(address)) limit(clientKeyOf(address), exchange);
    return next(exchange);
  };
}

/** The most API keys that are remembered as good; they take 10 MB. */
const mostKeys = 50_000;

/** The most API keys that are remembered as wrong; they take 2 MB. */
const mostWrongKeys = 10_000;

/** The time for which a key is remembered as wrong, in milliseconds: it may be imported or extended meanwhile. */
const wrongFor = 10_000;

/** The look-ups above the limit: in this process, for each address and for all addresses together. */
const lookUpsOfAddress: Rate = { requests: 10, seconds: 1 };
const lookUpsOfAll: Rate = { requests: 100, seconds: 1 };

const digestOf = (secret: string): string => hash('sha256', secret, 'base64');

/**
 * Limits the number of wrong API keys that an address may try at the reverse proxy. Above the limit, keys that were good
 * before pass as always. Other keys are looked up a few times in a second, unless they are malformed or were wrong just
 * now: a key may be new, or this process may not have seen it before. So another person's wrong keys do not stop a
 * person with the same address, nor a proxy that sends everyone's requests from one address.
 * @param rate the number of wrong keys that an address may try in a time
 * @param exempt addresses and ranges without a limit
 * @param isWellFormed whether a text may be an API key
 * @param shared the counts that other nodes share; undefined: this process counts alone
 */
export function createKeyGuesses(
  rate: Rate,
  exempt: readonly string[],
  isWellFormed: (secret: string) => boolean,
  shared?: SharedCounts,
) {
  const counts = new RateCounts('address-door', shared);
  /** The look-ups above the limit. Each process counts its own. */
  const lookUps = new RateCounts('look-ups-door');
  const isExempt = createAddressTest(exempt);
  /** The digests of API keys that were good in this process, the least recently used first. */
  const goodKeys = new LRUCache<string, true>({ maxSize: mostKeys, sizeCalculation: () => 1 });
  /** The digests of API keys that were wrong just now. */
  const wrongKeys = new LRUCache<string, true>({
    maxSize: mostWrongKeys,
    sizeCalculation: () => 1,
    ttl: wrongFor,
  });

  /** Counts a look-up above the limit; the result is false if there were too many in this second. */
  const mayLookUp = (key: string): boolean =>
    !lookUps.use(`of ${key}`, lookUpsOfAddress).isRefused && !lookUps.use('all', lookUpsOfAll).isRefused;

  return {
    /**
     * Admits an API key to the look-up.
     * @throws {GatewayError} `TOO_MANY_REQUESTS` if its address has tried too many wrong keys, this key was not good
     *   before, and it is not looked up above the limit
     */
    admit: (secret: string, exchange: Exchange): void => {
      const use = counts.peek(keyOf(exchange), rate);
      if (use.remaining > 0) return;
      const digest = digestOf(secret);
      if (goodKeys.get(digest)) return;
      const isWorthALook = isWellFormed(secret) && !wrongKeys.has(digest);
      if (!isWorthALook || !mayLookUp(keyOf(exchange))) refuse(use, exchange);
    },

    /** Records the outcome for an API key, and counts a wrong key. */
    note: (secret: string, exchange: Exchange, isGood: boolean): void => {
      const digest = digestOf(secret);
      if (isGood) {
        goodKeys.set(digest, true);
        wrongKeys.delete(digest);
        return;
      }
      goodKeys.delete(digest);
      wrongKeys.set(digest, true);
      if (isExempt(exchange.address ?? '')) return;
      const use = counts.use(keyOf(exchange), rate);
      // Many look-ups may have run at once.
      if (use.isRefused) refuse(use, exchange);
    },
  };
}

/** Limits the number of API keys that an address may try at the reverse proxy. */
export type KeyGuesses = ReturnType<typeof createKeyGuesses>;

const keyOf = ({ address }: Exchange): string => clientKeyOf(address ?? '');

function refuse(use: RateUse, { quotas }: Exchange): never {
  quotas.set('address', rateFields('address', use));
  throw tooManyRequests('rate-limit-address', secondsUntilReset(use));
}
