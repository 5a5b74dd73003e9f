import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Rate } from '../../config/config.ts';
import { createAddressTest } from '../../config/values/addresses.ts';
import type { Exchange } from '../exchange.ts';
import { clientKeyOf } from './limit-address.ts';
import { RateCounts, type RateUse, rateFields, secondsUntilReset, tooManyRequests } from './limiter.ts';
import type { SharedCounts } from './shared-counts.ts';

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
 */
export class KeyGuesses {
  readonly #rate: Rate;
  readonly #counts: RateCounts;
  /** The look-ups above the limit. Each process counts its own. */
  readonly #lookUps = new RateCounts('look-ups-door');
  readonly #isExempt: (address: string) => boolean;
  readonly #isWellFormed: (secret: string) => boolean;
  /** The digests of API keys that were good in this process, the least recently used first. */
  readonly #goodKeys = new LRUCache<string, true>({ maxSize: mostKeys, sizeCalculation: () => 1 });
  /** The digests of API keys that were wrong just now. */
  readonly #wrongKeys = new LRUCache<string, true>({
    maxSize: mostWrongKeys,
    sizeCalculation: () => 1,
    ttl: wrongFor,
  });

  /**
   * @param rate the number of wrong keys that an address may try in a time
   * @param exempt addresses and ranges without a limit
   * @param isWellFormed whether a text may be an API key
   * @param shared the counts that other nodes share; undefined: this process counts alone
   */
  constructor(
    rate: Rate,
    exempt: readonly string[],
    isWellFormed: (secret: string) => boolean,
    shared?: SharedCounts,
  ) {
    this.#rate = rate;
    this.#isWellFormed = isWellFormed;
    this.#counts = new RateCounts('address-door', shared);
    this.#isExempt = createAddressTest(exempt);
  }

  /**
   * Admits an API key to the look-up.
   * @throws {GatewayError} `TOO_MANY_REQUESTS` if its address has tried too many wrong keys, this key was not good
   *   before, and it is not looked up above the limit
   */
  admit(secret: string, exchange: Exchange): void {
    const use = this.#counts.peek(keyOf(exchange), this.#rate);
    if (use.remaining > 0) return;
    const digest = digestOf(secret);
    if (this.#goodKeys.get(digest)) return;
    const isWorthALook = this.#isWellFormed(secret) && !this.#wrongKeys.has(digest);
    if (!isWorthALook || !this.#mayLookUp(keyOf(exchange))) refuse(use, exchange);
  }

  /** Counts a look-up above the limit; the result is false if there were too many in this second. */
  #mayLookUp(key: string): boolean {
    if (this.#lookUps.use(`of ${key}`, lookUpsOfAddress).isRefused) return false;
    return !this.#lookUps.use('all', lookUpsOfAll).isRefused;
  }

  /** Records the outcome for an API key, and counts a wrong key. */
  note(secret: string, exchange: Exchange, isGood: boolean): void {
    const digest = digestOf(secret);
    if (isGood) {
      this.#goodKeys.set(digest, true);
      this.#wrongKeys.delete(digest);
      return;
    }
    this.#goodKeys.delete(digest);
    this.#wrongKeys.set(digest, true);
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
