import { LRUCache } from 'lru-cache';
import type { Rate, Rates } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import type { Exchange, Middleware, Quota } from '../exchange.ts';
import type { SharedCounts, Window } from './shared-counts.ts';

/** How many keys are known at the most: callers have addresses at will. Who has not called for longest is forgotten. */
const mostKeys = 50_000;

/** What came of a request that was counted. */
export interface RateUse {
  /** Whether it is one too many. */
  readonly isRefused: boolean;
  readonly rate: Rate;
  /** How many more would pass, until then. */
  readonly remaining: number;
  /** When the window ends, by this machine's clock as it is now. */
  readonly resetsAt: Date;
}

/**
 * Counts requests of whoever a key stands for, in the memory of this process: nobody waits for it. What all nodes have
 * counted together is learned in the background.
 */
export class RateCounts {
  readonly #name: string;
  readonly #shared: SharedCounts | undefined;
  readonly #windows: LRUCache<string, Window>;

  /**
   * @param name what others know the counts by
   * @param shared what other nodes count; undefined: this process counts alone
   * @param most how many keys are known at the most
   */
  constructor(name: string, shared?: SharedCounts, most = mostKeys) {
    this.#name = name;
    this.#shared = shared;
    // By `max`, room for all of them would be made at once, which takes ten milliseconds.
    this.#windows = new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
  }

  /**
   * Counts a request. One too many leaves nothing, and is counted no further: a rate that is raised lets in the next.
   * @param rate by which: another than before holds from this request on
   * @param weight how many requests it counts as
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

  /** What a request would find, without counting one. */
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

/** How many API keys are known at the most: 20 MB. The one that was not used for longest begins to count anew. */
const mostApiKeys = 100_000;

/** Counts requests with API keys, each by a rate of its own. */
export class KeyRateCounts {
  readonly #counts: RateCounts;

  /** @param shared what other nodes count; undefined: this process counts alone */
  constructor(shared?: SharedCounts) {
    this.#counts = new RateCounts('key', shared, mostApiKeys);
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

/** Counts requests by one rate, and refuses those that are too many. */
export class Limiter {
  readonly #name: string;
  readonly #rate: Rate;
  readonly #counts: RateCounts;

  /**
   * @param name what clients know the limit by
   * @param shared what other nodes count; undefined: this process counts alone
   */
  constructor(name: string, rate: Rate, shared?: SharedCounts) {
    this.#name = name;
    this.#rate = rate;
    this.#counts = new RateCounts(name, shared);
  }

  /**
   * Counts a request, and notes for its answer what is left.
   * @param weight how many requests it counts as
   * @throws {GatewayError} `TOO_MANY_REQUESTS` where it is too many
   */
  readonly count = (key: string, { quotas }: Pick<Exchange, 'quotas'>, weight = 1): void => {
    const use = this.#counts.use(key, this.#rate, weight);
    quotas.set(this.#name, rateFields(this.#name, use));
    if (use.isRefused) throw tooManyRequests(`rate-limit-${this.#name}`, secondsUntilReset(use));
  };
}

/** A limiter for each rate that is given. */
export type Limiters = { readonly [Name in keyof Rates]?: Limiter };

/** What clients know the limits by. */
const names = { address: 'address', account: 'account', verifier: 'verifier', apiKey: 'api-key' } as const;

/**
 * Makes what counts requests.
 * @param shared what other nodes count; undefined: this process counts alone
 */
export function createLimiters(rates: Rates, shared: SharedCounts | undefined): Limiters {
  const given = Object.entries(rates).filter(([, rate]) => rate !== undefined) as [keyof Rates, Rate][];
  return Object.fromEntries(given.map(([kind, rate]) => [kind, new Limiter(names[kind], rate, shared)]));
}

/** In how many seconds it will be then, rounded up; 0 where that came while the request waited for the database. */
export const secondsUntil = (at: Date): number => Math.max(Math.ceil((at.getTime() - Date.now()) / 1000), 0);

/** The same of a window, which never has more left than its length: the clock may have been set meanwhile. */
export const secondsUntilReset = ({ rate, resetsAt }: Pick<RateUse, 'rate' | 'resetsAt'>): number =>
  Math.min(secondsUntil(resetsAt), rate.seconds);

/** What is left of a rate, as clients are told. */
export const rateFields = (name: string, use: Omit<RateUse, 'isRefused'>): Quota => ({
  policy: `"${name}";q=${use.rate.requests};w=${use.rate.seconds}`,
  state: `"${name}";r=${use.remaining};t=${secondsUntilReset(use)}`,
});

/**
 * Tells a client its limits and what is left of them, on every answer that was counted
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export const quotaHeaders: Middleware = (next) => async (exchange) => {
  const answer = await next(exchange);
  const quotas = [...exchange.quotas.values()];
  if (quotas.length === 0) return answer;
  answer.headers['ratelimit-policy'] = quotas.map(({ policy }) => policy).join(', ');
  answer.headers['ratelimit'] = quotas.map(({ state }) => state).join(', ');
  return answer;
};

/**
 * A request too many.
 * @param reason which limit refuses it, for the log
 * @param seconds in how many another may pass
 */
export const tooManyRequests = (reason: string, seconds: number): GatewayError =>
  new GatewayError('TOO_MANY_REQUESTS', 'Too Many Requests', {
    headers: { 'retry-after': `${seconds}` },
    reason,
  });
