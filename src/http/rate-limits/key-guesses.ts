import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createAddressTest } from '../../config/addresses.ts';
import type { Rate } from '../../config/config.ts';
import type { Exchange } from '../exchange.ts';
import { clientKeyOf } from './limit-address.ts';
import { RateCounts, type RateUse, rateFields, secondsUntilReset, tooManyRequests } from './limiter.ts';
import type { SharedCounts } from './shared-counts.ts';

/** The most API keys that are remembered as good; they take 10 MB. */
const mostKeys = 50_000;

const digestOf = (secret: string): string => hash('sha256', secret, 'base64');

/**
 * Limits the number of wrong API keys that an address may try at the reverse proxy. Above the limit, only keys that
 * were good before pass; the service does not look up any other key from the address. So another person's wrong keys
 * do not stop a person with the same address, nor a proxy that sends everyone's requests from one address.
 */
export class KeyGuesses {
  readonly #rate: Rate;
  readonly #counts: RateCounts;
  readonly #isExempt: (address: string) => boolean;
  /** The digests of API keys that were good in this process, the least recently used first. */
  readonly #goodKeys = new LRUCache<string, true>({ maxSize: mostKeys, sizeCalculation: () => 1 });

  /**
   * @param rate the number of wrong keys that an address may try in a time
   * @param exempt addresses and ranges without a limit
   * @param shared the counts that other nodes share; undefined: this process counts alone
   */
  constructor(rate: Rate, exempt: readonly string[], shared?: SharedCounts) {
    this.#rate = rate;
    this.#counts = new RateCounts('address-door', shared);
    this.#isExempt = createAddressTest(exempt);
  }

  /**
   * Admits an API key to the look-up.
   * @throws {GatewayError} `TOO_MANY_REQUESTS` if its address has tried too many wrong keys, and this key was not
   *   good before
   */
  admit(secret: string, exchange: Exchange): void {
    const use = this.#counts.look(keyOf(exchange), this.#rate);
    if (use.remaining === 0 && !this.#goodKeys.get(digestOf(secret))) refuse(use, exchange);
  }

  /** Records the outcome for an API key, and counts a wrong key. */
  note(secret: string, exchange: Exchange, isGood: boolean): void {
    if (isGood) {
      this.#goodKeys.set(digestOf(secret), true);
      return;
    }
    this.#goodKeys.delete(digestOf(secret));
    if (this.#isExempt(exchange.address ?? '')) return;
    const use = this.#counts.use(keyOf(exchange), this.#rate);
    // Many look-ups may have run at once.
    if (use.isRefused) refuse(use, exchange);
  }
}

const keyOf = ({ address }: Exchange): string => clientKeyOf(address ?? '');

function refuse(use: RateUse, { quotas }: Exchange): never {
  quotas.set('address', rateFields('address', use));
  throw tooManyRequests('rate-limit-address', secondsUntilReset(use));
}
