import { serviceUnavailable } from '../errors.ts';
import { findKey, type KeySet, UnusableKeySet, type VerificationKey } from './verification-key.ts';

/** Times in milliseconds. */
interface Pace {
  /**
   * The least time between two reads, failed reads included. Without it, anybody could cause a read at each request,
   * by an unknown `kid`.
   */
  readonly cooldown: number;
  /** The time after which the set is read again, so that a withdrawn key stops working. */
  readonly refresh: number;
  /**
   * The longest pause before a repeated read while there are no keys. The pause doubles with each failure up to this
   * time.
   */
  readonly longestRetry: number;
}

const usualPace: Pace = { cooldown: 30_000, refresh: 5 * 60_000, longestRetry: 30_000 };

/**
 * The most requests that wait for a read at a time. Anybody can make a request wait, by an unknown `kid`. So few may
 * wait that they take no room from other requests.
 */
const mostWaiting = 8;

/** The time for which the last good set is used while the set cannot be read, in milliseconds: a day. */
const longestUse = 24 * 60 * 60_000;

/** The first pause after a failed read, in milliseconds. */
const firstRetry = 1000;

/** Receives the outcomes of reads. */
export interface ReadReport {
  /** Called for a failed read, unless the read before failed for the same reason. */
  failed(error: unknown): void;
  /** Called for the first successful read after a failed one. */
  recovered(): void;
}

/**
 * An issuer's verification keys, refreshed in the background. While the set cannot be read, the last good set stays for
 * a day. A set that can be read and has no usable key is a revocation: then there are no keys. While there are no keys,
 * the reads repeat by themselves.
 */
export class VerificationKeys implements Disposable {
  /** The numbers of successful reads, of failed reads, and of reads that found a set without a usable key. */
  readonly refreshes = { success: 0, failure: 0, unusable: 0 };
  /**
   * The key set of the last successful read; only a read replaces or removes it. A token that one set has verified is
   * not verified by the next set.
   */
  current: KeySet | undefined;
  readonly #read: () => Promise<KeySet>;
  readonly #report: ReadReport;
  readonly #pace: Pace;
  readonly #timer: NodeJS.Timeout;
  #retry: NodeJS.Timeout | undefined;
  #retryAfter = firstRetry;
  /** The error of the last read; undefined after a successful one. */
  #failure: unknown;
  #reading: Promise<void> | undefined;
  #waiting = 0;
  #isDisposed = false;
  #lastRead = Number.NEGATIVE_INFINITY;
  /** When the current set was read. */
  #goodAt = Number.NEGATIVE_INFINITY;

  /** @param read reads the issuer's key set; it throws {@link UnusableKeySet} if no key of the set is usable */
  constructor(read: () => Promise<KeySet>, report: ReadReport, pace = usualPace) {
    this.#read = read;
    this.#report = report;
    this.#pace = pace;
    this.#timer = setInterval(() => this.#refreshIfDue(), pace.refresh).unref();
  }

  /**
   * Finds the key that a token names, or the only key of the token's algorithm if the token names none. An unknown
   * key causes a read of the set, unless the last read was less than `cooldown` ago (30 seconds).
   * @returns undefined if the issuer publishes no such key, or several keys of the algorithm
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` if there are no keys, or if a read is in progress and enough other
   *   requests wait for it: the unknown key may be a new one
   */
  async find(kid: unknown, algorithm?: unknown): Promise<VerificationKey | undefined> {
    const known = this.current && findKey(this.current, kid, algorithm);
    if (known) return known;
    this.#refreshIfDue();
    if (this.#reading !== undefined) await this.#waitFor(this.#reading);
    if (!this.current) throw serviceUnavailable('no-verification-keys');
    return findKey(this.current, kid, algorithm);
  }

  /** Why there are no keys, in words; undefined if there are keys. {@link ReadReport} tells the reason of each key. */
  get fault(): string | undefined {
    if (this.current) return undefined;
    return this.#failure instanceof UnusableKeySet
      ? 'no key of its set can be used'
      : 'its key set could not be read';
  }

  /** Reads the set again; concurrent callers share one read. The promise never rejects. */
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

  /** Begins a read, unless the last read began less than `cooldown` ago. */
  #refreshIfDue(): void {
    if (performance.now() - this.#lastRead >= this.#pace.cooldown) void this.refresh();
  }

  /**
   * Waits for a read.
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` if enough other requests wait
   */
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
      this.#goodAt = performance.now();
      this.#noteSuccess();
    } catch (error) {
      this.#noteFailure(error);
      const isRevoked = error instanceof UnusableKeySet;
      if (isRevoked || performance.now() - this.#goodAt > longestUse) this.current = undefined;
      if (!this.current) this.#tryAgain();
    }
  }

  #noteSuccess(): void {
    this.refreshes.success += 1;
    if (this.#failure !== undefined) this.#report.recovered();
    this.#failure = undefined;
    this.#retryAfter = firstRetry;
  }

  #noteFailure(error: unknown): void {
    this.refreshes[error instanceof UnusableKeySet ? 'unusable' : 'failure'] += 1;
    if (reasonOf(this.#failure) !== reasonOf(error)) this.#report.failed(error);
    this.#failure = error;
  }

  /**
   * Schedules the next read. A random factor shortens the pause by up to a quarter, so that nodes that started
   * together do not ask together.
   */
  #tryAgain(): void {
    clearTimeout(this.#retry);
    if (this.#isDisposed) return;
    const milliseconds = this.#retryAfter * (0.75 + Math.random() / 4);
    this.#retry = setTimeout(() => void this.refresh(), milliseconds).unref();
    this.#retryAfter = Math.min(this.#retryAfter * 2, this.#pace.longestRetry);
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : typeof error);
