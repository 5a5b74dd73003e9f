import { serviceUnavailable } from '../errors.ts';
import type { KeySet, VerificationKey } from './verification-key.ts';

/** No more than one read in this time, failures counted: an unknown `kid` costs anyone nothing to send. */
const cooldownMilliseconds = 30_000;

/** How often the set is read again anyway, so that a withdrawn key stops working. */
const refreshMilliseconds = 5 * 60_000;

/**
 * How many requests wait for a read at the most. Whoever names an unknown `kid` waits, and anybody can: those who wait
 * must be so few that they take up no room that others need.
 */
const mostWaiting = 8;

/** An issuer's verification keys, kept fresh in the background; the last good set stays while it is down. */
export class VerificationKeys implements Disposable {
  /** How often the set was read, and could not be. */
  readonly refreshes = { success: 0, failure: 0 };
  readonly #read: () => Promise<KeySet>;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #keys: KeySet | undefined;
  #reading: Promise<void> | undefined;
  #waiting = 0;
  #lastRead = Number.NEGATIVE_INFINITY;

  /**
   * @param read reads the issuer's key set
   * @param onFailure told why a read failed
   */
  constructor(read: () => Promise<KeySet>, onFailure: (error: unknown) => void) {
    this.#read = read;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => this.#refreshIfDue(), refreshMilliseconds).unref();
  }

  /**
   * The key with this id; one that is not known is asked for, at most every 30 seconds.
   * @returns undefined where the issuer publishes no such key
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` where no usable key was ever read, or where the set is being read and
   *   enough others wait for it: the key may be a new one
   */
  async find(kid: string): Promise<VerificationKey | undefined> {
    const known = this.#keys?.get(kid);
    if (known) return known;
    this.#refreshIfDue();
    if (this.#reading !== undefined) await this.#waitFor(this.#reading);
    if (!this.#keys?.size) throw serviceUnavailable('no-verification-keys');
    return this.#keys.get(kid);
  }

  /** The keys as they were last read. What one set has verified, another has not. */
  get current(): KeySet | undefined {
    return this.#keys;
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
  }

  /** Begins a read, unless the last was too short a time ago. */
  #refreshIfDue(): void {
    if (performance.now() - this.#lastRead >= cooldownMilliseconds) void this.refresh();
  }

  /** Waits for a read, unless enough others do. */
  async #waitFor(reading: Promise<void>): Promise<void> {
    if (this.#waiting >= mostWaiting)
      throw serviceUnavailable(this.#keys?.size ? 'verification-keys-awaited' : 'no-verification-keys');
    this.#waiting += 1;
    await reading;
    this.#waiting -= 1;
  }

  async #readOnce(): Promise<void> {
    this.#lastRead = performance.now();
    try {
      this.#keys = await this.#read();
      this.refreshes.success += 1;
    } catch (error) {
      this.refreshes.failure += 1;
      this.#onFailure(error);
    }
  }
}
