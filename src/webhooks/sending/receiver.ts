import type { WebhookDelivery } from '../../database/tables.ts';
import type { Endpoint } from './stored-endpoints.ts';

/** The most attempts at an endpoint that have just begun; one that is slow leaves its place to another. */
const mostFresh = 16;

/** The age at which an attempt is slow, in milliseconds. */
export const freshFor = 500;

/** The most attempts at an endpoint, slow ones included: each holds a connection. */
const mostAtOnce = 64;

/**
 * The most of them for one account, and for deliveries that were attempted before while the endpoint fails: in all, and
 * for one account.
 */
const mostOfAccount = 8;
const mostAgain = 4;
const mostAgainOfAccount = 2;

/** The number of failures in a row after which an endpoint counts as down. */
const failuresOfDown = 50;

/** The interval of the attempts at an endpoint that is down, in milliseconds. */
export const downInterval = 1000;

/** The most accounts that are remembered as refused. */
const mostRefused = 1000;

/** The interval of the log lines about an endpoint that fails, in milliseconds. */
const toldInterval = 60_000;

/** Where deliveries come from: from the line, or from beside it since they were attempted before. */
export type Source = 'line' | 'again';

interface Attempt extends Pick<WebhookDelivery, 'account' | 'attempts'> {
  readonly begunAt: number;
}

const isAgain = ({ attempts }: Attempt): boolean => attempts > 1;

/**
 * An endpoint with this node's state of it: who may be sent what, so that no account and no failing delivery holds up
 * another. Times are by `performance.now()`.
 */
export class Receiver {
  /** The endpoint as this node last read it. */
  endpoint: Endpoint;
  /** Whether the endpoint no longer exists. */
  isGone = false;
  readonly #attempts = new Set<Attempt>();
  /** The number of consecutive failed attempts, and the accounts that they were for. */
  #failures = 0;
  readonly #refused = new Set<number>();
  #lastBegunAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #isToldToFail = false;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** Whether nothing was taken for so long that single attempts are enough. */
  get isDown(): boolean {
    return this.#failures >= failuresOfDown;
  }

  /** The most deliveries that may be taken now: in all, and of those that were attempted before. */
  get room(): { readonly all: number; readonly again: number } {
    const now = performance.now();
    if (this.isGone || this.endpoint.isPaused || now < this.#heldUntil) return { all: 0, again: 0 };
    const attempts = [...this.#attempts];
    if (this.isDown) {
      // One that hangs may be for one account alone, so another one follows all the same.
      const isProbed = attempts.length >= mostFresh || now - this.#lastBegunAt < downInterval;
      return isProbed ? { all: 0, again: 0 } : { all: 1, again: 1 };
    }
    const fresh = attempts.filter(({ begunAt }) => now - begunAt < freshFor).length;
    const all = Math.max(0, Math.min(mostFresh - fresh, mostAtOnce - attempts.length));
    const again = attempts.filter(isAgain).length;
    return { all, again: Math.min(all, this.#failures > 0 ? Math.max(0, mostAgain - again) : all) };
  }

  /** The accounts that have as many attempts as they may. */
  busyAccounts(source: Source): number[] {
    const accounts = new Set([...this.#attempts].map(({ account }) => account));
    return [...accounts].filter((account) => this.roomOf(account, source) === 0);
  }

  /** The accounts whose deliveries the endpoint has refused since it took one. */
  get refusedAccounts(): number[] {
    return [...this.#refused];
  }

  /** The number of further attempts that an account may have. */
  roomOf(account: number, source: Source): number {
    const own = [...this.#attempts].filter((each) => each.account === account);
    const all = mostOfAccount - own.length;
    if (source === 'line' || this.#failures === 0) return all;
    return Math.max(0, Math.min(all, mostAgainOfAccount - own.filter(isAgain).length));
  }

  /**
   * Begins an attempt.
   * @param delivery the delivery, this attempt counted
   * @returns ends the attempt
   */
  begin({ account, attempts }: Pick<WebhookDelivery, 'account' | 'attempts'>): () => void {
    const begunAt = performance.now();
    const attempt = { account, attempts, begunAt };
    this.#attempts.add(attempt);
    this.#lastBegunAt = begunAt;
    return () => void this.#attempts.delete(attempt);
  }

  /** Begins no further attempt for a time in milliseconds, because the receiver asks for it. */
  hold(milliseconds: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, performance.now() + milliseconds);
  }

  /** Counts a success. @returns whether the log must tell that the endpoint accepts events again */
  succeed(): boolean {
    const isNews = this.#isToldToFail;
    this.#failures = 0;
    this.#refused.clear();
    this.#isToldToFail = false;
    return isNews;
  }

  /** Counts a failure. @returns whether the log must tell that the endpoint fails */
  fail(account: number): boolean {
    this.#failures += 1;
    if (this.#refused.size < mostRefused) this.#refused.add(account);
    const now = performance.now();
    if (this.#isToldToFail || now - this.#toldAt < toldInterval) return false;
    this.#isToldToFail = true;
    this.#toldAt = now;
    return true;
  }
}
