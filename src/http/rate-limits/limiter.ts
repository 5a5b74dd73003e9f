import { LRUCache } from 'lru-cache';
import type { Rate } from '../../config/rates.ts';
import { GatewayError } from '../../errors.ts';
import type { Exchange } from '../exchange.ts';
import type { SharedCounts, Window } from './shared-counts.ts';

/** How many keys are known at the most: callers have addresses at will. Who has not called for longest is forgotten. */
const mostKeys = 50_000;

/**
 * Counts requests of whoever a key stands for, in the memory of this process: nobody waits for it. What all nodes have
 * counted together is learned in the background.
 */
export class Limiter {
  readonly #name: string;
  readonly #rate: Rate;
  readonly #policy: string;
  readonly #shared: SharedCounts | undefined;
  readonly #windows = new LRUCache<string, Window>({ max: mostKeys });

  /**
   * @param name what clients know the limit by
   * @param shared what other nodes count; undefined: this process counts alone
   */
  constructor(name: string, rate: Rate, shared?: SharedCounts) {
    this.#name = name;
    this.#rate = rate;
    this.#policy = `"${name}";q=${rate.requests};w=${rate.seconds}`;
    this.#shared = shared;
  }

  /**
   * Counts a request, and notes for its answer what is left.
   * @param weight how many requests it counts as
   * @throws {GatewayError} `TOO_MANY_REQUESTS` where it is too many
   */
  readonly count = (key: string, { quotas }: Pick<Exchange, 'quotas'>, weight = 1): void => {
    const window = this.#windowOf(key);
    window.used += weight;
    window.untold += weight;
    this.#shared?.tell(`${this.#name}:${key}`, window, this.#rate);
    const left = this.#rate.requests - window.used;
    const seconds = Math.ceil((window.resetsAt - Date.now()) / 1000);
    const state = `"${this.#name}";r=${Math.max(left, 0)};t=${seconds}`;
    quotas.set(this.#name, { policy: this.#policy, state });
    if (left < 0) throw tooManyRequests(this.#name, seconds);
  };

  #windowOf(key: string): Window {
    const now = Date.now();
    const known = this.#windows.get(key);
    if (known && known.resetsAt > now) return known;
    const window = { used: 0, untold: 0, resetsAt: now + this.#rate.seconds * 1000 };
    this.#windows.set(key, window);
    return window;
  }
}

const tooManyRequests = (name: string, seconds: number) =>
  new GatewayError('TOO_MANY_REQUESTS', 'Too Many Requests', {
    headers: { 'retry-after': `${seconds}` },
    reason: `rate-limit-${name}`,
  });
