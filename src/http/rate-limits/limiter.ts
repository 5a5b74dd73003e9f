import { LRUCache } from 'lru-cache';
import type { Rate, Rates } from '../../config/config.ts';
import { GatewayError } from '../../errors.ts';
import type { Answer, Exchange, Finisher, Quota } from '../exchange.ts';
import type { SharedCounts, Window } from './shared-counts.ts';

/**
 * The most keys in memory, because a client can use any number of addresses. The least recently used key is forgotten
 * first.
 */
const mostKeys = 50_000;

/** The most API keys, or accounts, in memory (20 MB). */
export const mostOwners = 100_000;

/** The result of counting a request. */
export type RateUse = ReturnType<typeof toUse>;

/** A counted request, whose answer may still change what it counts as. */
type CountedRequest = ReturnType<RateCounts['use']>;

/** Whose requests are counted: a text for an address or a caller, or the id of an API key or of an account. */
type Key = string | number;

/**
 * Counts the requests of each key in the memory of this process, without any wait. The counts of all nodes together
 * arrive in the background.
 */
export class RateCounts {
  readonly #name: string;
  readonly #shared: SharedCounts | undefined;
  readonly #windows: LRUCache<Key, Window>;

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
   * Counts a request. One that is refused uses up what is left: no more than that, so a raised rate admits the next.
   * @param rate the rate from this request on; it may differ from the one before
   * @param weight the number of requests that this one counts as
   * @param reserve what it counts as beyond that until `settle`, as far as so much is left; where nothing is, one such
   *   request passes at a time
   */
  use(key: Key, rate: Rate, weight = 1, reserve = 0) {
    const window = this.#windowOf(key, rate);
    const left = restOf(window, rate);
    const reserved = Math.min(reserve, Math.max(left - weight, 0));
    window.reserved += reserved;
    this.#add(key, window, rate, Math.min(weight, left));
    const isRefused = weight > left || (reserve > 0 && reserved === 0 && window.open > 0);
    const isOpen = reserve > 0 && !isRefused;
    if (isOpen) window.open += 1;
    return {
      ...toUse(window, rate, isRefused),
      window,
      /** What the request counts as beyond its weight until its answer is there. */
      reserved,
      /** Whether its answer may be long, and is not there yet. */
      isOpen,
    };
  }

  /**
   * Replaces what a request reserved, in the window that counted it: a later window has nothing of it.
   * @param excess what the request counts as beyond its weight
   */
  settle(key: Key, request: CountedRequest, excess: number): RateUse {
    const { window, rate } = request;
    if (request.isOpen) window.open -= 1;
    request.isOpen = false;
    window.reserved -= request.reserved;
    request.reserved = 0;
    this.#add(key, window, rate, Math.min(excess, restOf(window, rate)));
    return toUse(window, rate, false);
  }

  /** Returns the state of the count without counting a request. */
  peek(key: Key, rate: Rate): RateUse {
    return toUse(this.#known(key, rate) ?? beginWindow(rate), rate, false);
  }

  #add(key: Key, window: Window, rate: Rate, counted: number): void {
    window.used += counted;
    window.untold += counted;
    this.#shared?.tell(`${this.#name}:${key}`, window, rate);
  }

  #windowOf(key: Key, rate: Rate): Window {
    const known = this.#known(key, rate);
    if (known) return known;
    const window = beginWindow(rate);
    this.#windows.set(key, window);
    return window;
  }

  /** Finds the window that runs. If the rate has another length now, the window ends by that: what was used stays used. */
  #known(key: Key, { seconds }: Rate): Window | undefined {
    const known = this.#windows.get(key);
    if (!known) return undefined;
    known.endsAt += (seconds - known.seconds) * 1000;
    known.seconds = seconds;
    return known.endsAt > performance.now() ? known : undefined;
  }
}

const beginWindow = ({ seconds }: Rate): Window => ({
  used: 0,
  untold: 0,
  reserved: 0,
  open: 0,
  seconds,
  endsAt: performance.now() + seconds * 1000,
});

const restOf = ({ used, reserved }: Window, { requests }: Rate): number =>
  Math.max(requests - used - reserved, 0);

const toUse = (window: Window, rate: Rate, isRefused: boolean) => ({
  /** Whether the request exceeds the rate. */
  isRefused,
  rate,
  /** The number of further requests that may pass until the reset. */
  remaining: restOf(window, rate),
  /** The end of the window, by this machine's present clock. */
  resetsAt: new Date(Math.round(Date.now() + window.endsAt - performance.now())),
});

/**
 * The bytes of an ordinary answer. A longer one counts once for each such part: what a person may take in a minute then
 * follows what it costs to make, whatever the person has.
 */
export const ordinaryAnswer = 16 * 1024;

/**
 * Counts a request by one rate, and records the rest of the limit for its answer.
 * @param weight the number of requests that this one counts as; 1 if missing
 * @param longest the greatest length of the answer in bytes, if it may be long: the request counts by it until the
 *   answer is there, so that many at once do not pass together. A quarter of the rate is reserved at the most, and no
 *   more than is left: one long answer at a time is admitted as long as an ordinary one is.
 * @throws {GatewayError} `TOO_MANY_REQUESTS` if the request exceeds the rate
 */
export type Limiter = (
  key: Key,
  exchange: Pick<Exchange, 'quotas'>,
  weight?: number,
  longest?: number,
) => void;

/**
 * Makes a limiter.
 * @param name the limit's name for clients
 * @param shared the counts that other nodes share; undefined: this process counts alone
 * @param weighsAnswers whether a request counts by the length of its answer
 */
export function createLimiter(
  name: string,
  rate: Rate,
  shared?: SharedCounts,
  weighsAnswers = false,
): Limiter {
  const counts = new RateCounts(name, shared);
  return (key, { quotas }, weight = 1, longest = 0) => {
    const reserve = Math.min(excessOf(longest), Math.floor(rate.requests / 4));
    const use = counts.use(key, rate, weight, reserve);
    const quota = rateFields(name, use);
    if (use.isRefused) {
      quotas.set(name, quota);
      throw tooManyRequests(`rate-limit-${name}`, secondsUntilReset(use));
    }
    const charge = (excess: number): Quota => rateFields(name, counts.settle(key, use, excess));
    quotas.set(name, weighsAnswers ? { ...quota, charge, isOpen: use.isOpen } : quota);
  };
}

/**
 * Makes the limiters of the given rates. What callers with a token are answered may be long.
 * @param shared the counts that other nodes share; undefined: this process counts alone
 */
export const createLimiters = (
  { address, account, verifier, apiKey }: Rates,
  shared: SharedCounts | undefined,
) => ({
  address: address && createLimiter('address', address, shared),
  account: account && createLimiter('account', account, shared, true),
  verifier: verifier && createLimiter('verifier', verifier, shared, true),
  apiKey: apiKey && createLimiter('api-key', apiKey, shared),
});

/** The limiters of the configured rates; one that is missing limits nothing. */
export type Limiters = Partial<ReturnType<typeof createLimiters>>;

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

/** The number of requests that an answer of so many bytes counts as, beside the one that it is. */
const excessOf = (bytes: number): number => Math.max(Math.ceil(bytes / ordinaryAnswer) - 1, 0);

/** The length of a body in bytes; of a short one, in UTF-16 code units, which takes no time. */
const lengthOf = (body: Answer['body']): number =>
  // No code unit has more than three bytes.
  typeof body === 'string' && 3 * body.length > ordinaryAnswer ? Buffer.byteLength(body) : body.length;

/**
 * Counts long answers, and adds the limits and their rests to every counted answer
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export const quotaHeaders: Finisher = (exchange, answer) => {
  if (exchange.quotas.size === 0) return answer;
  const excess = excessOf(lengthOf(answer.body));
  const quotas = [...exchange.quotas.values()].map((quota) =>
    excess > 0 || quota.isOpen ? (quota.charge?.(excess) ?? quota) : quota,
  );
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
