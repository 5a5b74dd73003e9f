import { serviceUnavailable } from '../errors.ts';
import { findKey, type KeySet, UnusableKeySet, type VerificationKey } from './verification-key.ts';

/** Times in milliseconds. */
interface Pace {
  /** No more than one read in this time, failures counted: an unknown `kid` costs anyone nothing to send. */
  readonly cooldown: number;
  /** How often the set is read again anyway, so that a withdrawn key stops working. */
  readonly refresh: number;
  /** While there are no keys, a read that failed is tried again after twice as long each time, up to this. */
  readonly longestRetry: number;
}

const usualPace: Pace = { cooldown: 30_000, refresh: 5 * 60_000, longestRetry: 30_000 };

/**
 * How many requests wait for a read at the most. Whoever names an unknown `kid` waits, and anybody can: those who wait
 * must be so few that they take up no room that others need.
 */
const mostWaiting = 8;

/** After how many milliseconds it is tried again at first. */
const firstRetry = 1000;

/** Told how reads go. */
export interface ReadReport {
  /** Told why a read failed, unless the one before has failed for the same reason. */
  failed(error: unknown): void;
  /** Told that a read went well after one that has failed. */
  recovered(): void;
}

/**
 * An issuer's verification keys, kept fresh in the background. The last good set stays while the issuer is down, or
 * publishes none that can be used; where there never was one, it is asked again by itself.
 */
export class VerificationKeys implements Disposable {
  /** How often the set was read, could not be, and could be and held no key that can be used. */
  readonly refreshes = { success: 0, failure: 0, unusable: 0 };
  /** The keys as they were last read; only a read changes them. What one set has verified, another has not. */
  current: KeySet | undefined;
  readonly #read: () => Promise<KeySet>;
  readonly #report: ReadReport;
  readonly #pace: Pace;
  readonly #timer: NodeJS.Timeout;
  #retry: NodeJS.Timeout | undefined;
  #retryAfter = firstRetry;
  /** Why the last read failed. */
  #failure: string | undefined;
  /** Whether the last read that failed has found a set, and no key in it. */
  #isUnusable = false;
  #reading: Promise<void> | undefined;
  #waiting = 0;
  #isDisposed = false;
  #lastRead = Number.NEGATIVE_INFINITY;

  /**
   * @param read reads the issuer's key set; it throws where no key of it can be used
   */
  constructor(read: () => Promise<KeySet>, report: ReadReport, pace = usualPace) {
    this.#read = read;
    this.#report = report;
    this.#pace = pace;
    this.#timer = setInterval(() => this.#refreshIfDue(), pace.refresh).unref();
  }

  /**
   * The key that a token names, or the only one of its algorithm where it names none. One that is not known is asked
   * for, at most every 30 seconds or what else its pace is.
   * @returns undefined where the issuer publishes no such key, or several of the algorithm
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` where no usable key was ever read, or where the set is being read and
   *   enough others wait for it: the key may be a new one
   */
  async find(kid: unknown, algorithm?: unknown): Promise<VerificationKey | undefined> {
    const known = this.current && findKey(this.current, kid, algorithm);
    if (known) return known;
    this.#refreshIfDue();
    if (this.#reading !== undefined) await this.#waitFor(this.#reading);
    if (!this.current) throw serviceUnavailable('no-verification-keys');
    return findKey(this.current, kid, algorithm);
  }

  /** Why there are no keys, in words; undefined where there are. The reason of each key is told by {@link ReadReport}. */
  get fault(): string | undefined {
    if (this.current) return undefined;
    return this.#isUnusable ? 'no key of its set can be used' : 'its key set could not be read';
  }

  /** Reads the set again; callers at the same time share one read. Never rejects. */
  refresh(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    this.#isDisposed = true;
  }

  /** Begins a read, unless the last was too short a time ago. */
  #refreshIfDue(): void {
    if (performance.now() - this.#lastRead >= this.#pace.cooldown) void this.refresh();
  }

  /** Waits for a read, unless enough others do. */
  async #waitFor(reading: Promise<void>): Promise<void> {
    if (this.#waiting >= mostWaiting)
      throw serviceUnavailable(this.current ? 'verification-keys-awaited' : 'no-verification-keys');
    this.#waiting += 1;
    await reading;
    this.#waiting -= 1;
  }

  async #readOnce(): Promise<void> {
    this.#lastRead = performance.now();
    try {
      const keys = await this.#read();
      this.current = keys;
      this.#noteSuccess();
    } catch (error) {
      this.#noteFailure(error);
      if (!this.current) this.#tryAgain();
    }
  }

  #noteSuccess(): void {
    this.refreshes.success += 1;
    if (this.#failure !== undefined) this.#report.recovered();
    this.#failure = undefined;
  }

  #noteFailure(error: unknown): void {
    this.#isUnusable = error instanceof UnusableKeySet;
    this.refreshes[this.#isUnusable ? 'unusable' : 'failure'] += 1;
    const reason = error instanceof Error ? error.message : typeof error;
    if (this.#failure !== reason) this.#report.failed(error);
    this.#failure = reason;
  }

  /** Reads again in a while, by chance up to a quarter sooner: nodes that started together do not ask together. */
  #tryAgain(): void {
    clearTimeout(this.#retry);
    if (this.#isDisposed) return;
    const milliseconds = this.#retryAfter * (0.75 + Math.random() / 4);
    this.#retry = setTimeout(() => void this.refresh(), milliseconds).unref();
    this.#retryAfter = Math.min(this.#retryAfter * 2, this.#pace.longestRetry);
  }
}
