import type { Rate } from '../../config/rates.ts';
import { RateCounts, type RateUse } from './limiter.ts';
import type { SharedCounts } from './shared-counts.ts';

/** How many keys are known at the most: 20 MB. The one that was not used for longest begins to count anew. */
const mostKeys = 100_000;

/** Counts requests with API keys, each by a rate of its own. */
export class KeyRateCounts {
  readonly #counts: RateCounts;

  /** @param shared what other nodes count; undefined: this process counts alone */
  constructor(shared?: SharedCounts) {
    this.#counts = new RateCounts('key', shared, mostKeys);
  }

  /** Counts a request. */
  use(keyId: number, rate: Rate): RateUse {
    return this.#counts.use(nameOf(keyId, rate), rate);
  }

  /** What a request would find, without counting one. */
  look(keyId: number, rate: Rate): RateUse {
    return this.#counts.look(nameOf(keyId, rate), rate);
  }
}

/** A key and its window: where that is another one, its count begins anew. */
const nameOf = (keyId: number, { seconds }: Rate): string => `${keyId}/${seconds}`;
