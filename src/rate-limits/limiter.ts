import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../errors.ts';

/** How many requests are answered in a time. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** What is left of a limit after a request, as the fields `RateLimit-Policy` and `RateLimit` say it. */
export interface Quota {
  readonly policy: string;
  readonly state: string;
}

/** The limits that a request was counted at, for its answer. */
export interface WithQuotas {
  quotas: Quota[];
}

/** Counts requests of whoever a key stands for. */
export class Limiter {
  readonly #name: string;
  readonly #policy: string;
  readonly #counter: RateLimiterAbstract;

  /**
   * @param name what clients know the limit by
   * @param counter what counts, up to the rate
   */
  constructor(name: string, { requests, seconds }: Rate, counter: RateLimiterAbstract) {
    this.#name = name;
    this.#policy = `"${name}";q=${requests};w=${seconds}`;
    this.#counter = counter;
  }

  /**
   * Counts a request, and notes for its answer what is left.
   * @throws {GatewayError} `TOO_MANY_REQUESTS` where it is one too many
   */
  readonly count = async (key: string, { quotas }: WithQuotas): Promise<void> => {
    try {
      quotas.push(this.#quota(await this.#counter.consume(key)));
    } catch (error) {
      // The library tells so of one too many; anything else has failed.
      if (error instanceof Error) throw error;
      const result = error as RateLimiterRes;
      quotas.push(this.#quota(result));
      throw tooManyRequests(this.#name, secondsUntilReset(result));
    }
  };

  #quota(result: RateLimiterRes): Quota {
    const state = `"${this.#name}";r=${result.remainingPoints};t=${secondsUntilReset(result)}`;
    return { policy: this.#policy, state };
  }
}

const secondsUntilReset = ({ msBeforeNext }: RateLimiterRes): number => Math.ceil(msBeforeNext / 1000);

const tooManyRequests = (name: string, seconds: number) =>
  new GatewayError('TOO_MANY_REQUESTS', 'Too Many Requests', {
    headers: { 'retry-after': `${seconds}` },
    reason: `rate-limit-${name}`,
  });
