import { LRUCache } from 'lru-cache';
import type { Rate, Rates } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import type { Exchange, Middleware, Quota } from '../exchange.ts';
import type { SharedCounts, Window } from './shared-counts.ts';

/**
 * The most keys in memory, because a client can use any number of addresses. The least recently used key is forgotten
 * first.
 */
const mostKeys = 50_000;

/** The result of counting a request. */
export interface RateUse {
  /** Whether the request exceeds the rate. */
  readonly isRefused: boolean;
  readonly rate: Rate;
  /** The number of further requests that may pass until the reset. */
  readonly remaining: number;
  /** The end of the window, by this machine's present clock. */
  readonly resetsAt: Date;
}

/**
 * Counts the requests of each key in the memory of this process, without any wait. The counts of all nodes together
 * arrive in the background.
 */
export class RateCounts {
  readonly #name: string;
  readonly #shared: SharedCounts | undefined;
  readonly #windows: LRUCache<string, Window>;

  /**
   * @param name the name of the counts for other nodes
   * @param shared the counts that other nodes share; undefined: this process counts alone
   * @param most the most keys in memory
   */
  constructor(name: string, shared?: SharedCounts, most = mostKeys) {
    this.#name = name;
    this.#shared = shared;
    // With `max`, the cache would allocate all its memory at once, which takes ten milliseconds.
    this.#windows = new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
  }

  /**
   * Counts a request. A refused request does not add to the count, so a raised rate admits the next request.
   * @param rate the rate from this request on; it may differ from the one before
   * @param weight the number of requests that this one counts as
   */
  use(key: string, rate: Rate, weight = 1): RateUse {
    const window = this.#windowOf(key, rate);
    const left = Math.max(rate.requests - window.used, 0);
    const counted = Math.min(weight, left);
    window.used += counted;
    window.untold += counted;
    this.#shared?.tell(`${this.#name}:${key}`, window, rate);
    return toUse(window, rate, weight > left);
  }

  /** Returns the state of the count without counting a request. */
  look(key: string, rate: Rate): RateUse {
    return toUse(this.#known(key) ?? beginWindow(rate), rate, false);
  }

  #windowOf(key: string, rate: Rate): Window {
    const known = this.#known(key);
    if (known) return known;
    const window = beginWindow(rate);
    this.#windows.set(key, window);
    return window;
  }

  #known(key: string): Window | undefined {
    const known = this.#windows.get(key);
    return known && known.endsAt > performance.now() ? known : undefined;
  }
}

const beginWindow = ({ seconds }: Rate): Window => ({
  used: 0,
  untold: 0,
  endsAt: performance.now() + seconds * 1000,
});

const toUse = ({ used, endsAt }: Window, rate: Rate, isRefused: boolean): RateUse => ({
  isRefused,
  rate,
  remaining: Math.max(rate.requests - used, 0),
  resetsAt: new Date(Math.round(Date.now() + endsAt - performance.now())),
});

/** The most API keys in memory (20 MB). The least recently used key starts a new count. */
const mostApiKeys = 100_000;

/** Counts requests with API keys. Each key has its own rate. */
export class KeyRateCounts {
  readonly #counts: RateCounts;

  /** @param shared the counts that other nodes share; undefined: this process counts alone */
  constructor(shared?: SharedCounts) {
    this.#counts = new RateCounts('key', shared, mostApiKeys);
  }

  /** Counts a request. */
  use(keyId: number, rate: Rate): RateUse {
    return this.#counts.use(nameOf(keyId, rate), rate);
  }

  /** Returns the state of the count without counting a request. */
  look(keyId: number, rate: Rate): RateUse {
    return this.#counts.look(nameOf(keyId, rate), rate);
  }
}

/** The name of a key's count. It includes the length of the window, so another length starts a new count. */
const nameOf = (keyId: number, { seconds }: Rate): string => `${keyId}/${seconds}`;

/** Counts requests by one rate, and refuses excessive ones. */
export class Limiter {
  readonly #name: string;
  readonly #rate: Rate;
  readonly #counts: RateCounts;

  /**
   * @param name the limit's name for clients
   * @param shared the counts that other nodes share; undefined: this process counts alone
   */
  constructor(name: string, rate: Rate, shared?: SharedCounts) {
    this.#name = name;
    this.#rate = rate;
    this.#counts = new RateCounts(name, shared);
  }

  /**
   * Counts a request, and records the rest of the limit for its answer.
   * @param weight the number of requests that this one counts as
   * @throws {GatewayError} `TOO_MANY_REQUESTS` if the request exceeds the rate
   */
  readonly count = (key: string, { quotas }: Pick<Exchange, 'quotas'>, weight = 1): void => {
    const use = this.#counts.use(key, this.#rate, weight);
    quotas.set(this.#name, rateFields(this.#name, use));
    if (use.isRefused) throw tooManyRequests(`rate-limit-${this.#name}`, secondsUntilReset(use));
  };
}

/** The limiters of the configured rates. */
export type Limiters = { readonly [Name in keyof Rates]?: Limiter };

/** The limits' names for clients. */
const names = { address: 'address', account: 'account', verifier: 'verifier', apiKey: 'api-key' } as const;

/**
 * Makes the limiters of the given rates.
 * @param shared the counts that other nodes share; undefined: this process counts alone
 */
export function createLimiters(rates: Rates, shared: SharedCounts | undefined): Limiters {
  const given = Object.entries(rates).filter(([, rate]) => rate !== undefined) as [keyof Rates, Rate][];
  return Object.fromEntries(given.map(([kind, rate]) => [kind, new Limiter(names[kind], rate, shared)]));
}

/** The seconds until a time, rounded up; 0 if the time passed while the request waited for the database. */
export const secondsUntil = (at: Date): number => Math.max(Math.ceil((at.getTime() - Date.now()) / 1000), 0);

/**
 * The seconds until the end of a window; never more than the window's length, because somebody may have set the clock
 * meanwhile.
 */
export const secondsUntilReset = ({ rate, resetsAt }: Pick<RateUse, 'rate' | 'resetsAt'>): number =>
  Math.min(secondsUntil(resetsAt), rate.seconds);

/** The rest of a rate, in the form of the header fields. */
export const rateFields = (name: string, use: Omit<RateUse, 'isRefused'>): Quota => ({
  policy: `"${name}";q=${use.rate.requests};w=${use.rate.seconds}`,
  state: `"${name}";r=${use.remaining};t=${secondsUntilReset(use)}`,
});

/** Adds the limits and their rests to every counted answer (draft-ietf-httpapi-ratelimit-headers). */
export const quotaHeaders: Middleware = (next) => async (exchange) => {
  const answer = await next(exchange);
  const quotas = [...exchange.quotas.values()];
  if (quotas.length === 0) return answer;
  answer.headers['ratelimit-policy'] = quotas.map(({ policy }) => policy).join(', ');
  answer.headers['ratelimit'] = quotas.map(({ state }) => state).join(', ');
  return answer;
};

/**
 * The error for an excessive request.
 * @param reason the limit that refuses it, for the log
 * @param seconds the time until another request may pass
 */
export const tooManyRequests = (reason: string, seconds: number): GatewayError =>
  new GatewayError('TOO_MANY_REQUESTS', 'Too Many Requests', {
    headers: { 'retry-after': `${seconds}` },
    reason,
  });
