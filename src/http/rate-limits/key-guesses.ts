import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createAddressTest } from '../../config/addresses.ts';
import type { Rate } from '../../config/config.ts';
import type { Exchange } from '../exchange.ts';
import { clientKeyOf } from './limit-address.ts';
import { RateCounts, type RateUse, rateFields, secondsUntilReset, tooManyRequests } from './limiter.ts';
import type { SharedCounts } from './shared-counts.ts';

/** How many keys are known to be good at the most, in 10 MB. */
const mostKeys = 50_000;

const digestOf = (secret: string): string => hash('sha256', secret, 'base64');

/**
 * Bounds how many keys that are not good an address may try at the door. Above the limit it gets an answer for those
 * keys alone that were good before, and no other key of it is looked up. So nobody who shares the address is stopped by
 * another's wrong keys, nor is a proxy that asks for everyone with one address.
 */
export class KeyGuesses {
  readonly #rate: Rate;
  readonly #counts: RateCounts;
  readonly #isExempt: (address: string) => boolean;
  /** Digests of keys that were good at this process, the one first that was not used for longest. */
  readonly #goodKeys = new LRUCache<string, true>({ maxSize: mostKeys, sizeCalculation: () => 1 });

  /**
   * @param rate how many keys that are not good an address may try
   * @param exempt addresses and ranges that may try as many as they like
   * @param shared what other nodes count; undefined: this process counts alone
   */
  constructor(rate: Rate, exempt: readonly string[], shared?: SharedCounts) {
    this.#rate = rate;
    this.#counts = new RateCounts('address-door', shared);
    this.#isExempt = createAddressTest(exempt);
  }

  /**
   * Lets a key be looked up.
   * @throws {GatewayError} `TOO_MANY_REQUESTS` where its address has tried too many, and it is none that was good
   */
  admit(secret: string, exchange: Exchange): void {
    const use = this.#counts.look(keyOf(exchange), this.#rate);
    if (use.remaining === 0 && !this.#goodKeys.get(digestOf(secret))) refuse(use, exchange);
  }

  /** Notes what came of a key, and counts it where it is not good. */
  note(secret: string, exchange: Exchange, isGood: boolean): void {
    if (isGood) {
      this.#goodKeys.set(digestOf(secret), true);
      return;
    }
    this.#goodKeys.delete(digestOf(secret));
    if (this.#isExempt(exchange.address ?? '')) return;
    const use = this.#counts.use(keyOf(exchange), this.#rate);
    // Many may have been looked up at once.
    if (use.isRefused) refuse(use, exchange);
  }
}

const keyOf = ({ address }: Exchange): string => clientKeyOf(address ?? '');

function refuse(use: RateUse, { quotas }: Exchange): never {
  quotas.set('address', rateFields('address', use));
  throw tooManyRequests('rate-limit-address', secondsUntilReset(use));
}
