import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';

/** How often the event loop is looked at, and how often it is said that requests are refused, in milliseconds. */
const sampleInterval = 100;
const reportInterval = 10_000;

/** How long an answer may wait to be read before its place goes to a request that needs one, in milliseconds. */
const patience = 1000;

/**
 * How much work a process has. Requests that wait for the database are counted. Requests that wait for the processor
 * cannot be, as Node has not even read most of them: they show in how late the event loop is. It may be late once for
 * other reasons (a slow disk, a machine that stood still), so it counts as too late when it was late twice in a row, or
 * twice as late while this thread was working. Disposing of it ends the sampling.
 */
export class Load implements Disposable {
  /** Requests whose answer is not made or not sent yet. */
  inFlight = 0;
  /** Answers that their clients have yet to read, the oldest first, and since when. */
  readonly #unsent = new Map<ServerResponse, number>();
  readonly #maxInFlight: number;
  readonly #maxDelay: number;
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  /** How late the event loop was when it was last looked at, and at least how late the last two times. */
  #latest = 0;
  #delay = 0;
  #sampledAt = performance.now();
  #workAt = process.threadCpuUsage();
  #refused = 0;
  #disconnected = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param maxInFlight the most requests at once
   * @param maxDelay how late the event loop may be, in milliseconds
   */
  constructor(maxInFlight: number, logger: Logger, maxDelay = 500) {
    this.#maxInFlight = maxInFlight;
    this.#maxDelay = maxDelay;
    this.#logger = logger;
    this.#timer = setInterval(() => this.#sample(), sampleInterval).unref();
  }

  /** Whether it is more than can be answered in time. */
  get isTooMuch(): boolean {
    return (
      this.inFlight > this.#maxInFlight ||
      this.#delay > this.#maxDelay ||
      (this.#lateness() > 2 * this.#maxDelay && this.#work() > this.#maxDelay)
    );
  }

  /**
   * Has an answer count as in flight until it is sent or its connection closed: while its client does not read it, it
   * takes up memory.
   * @param response one that has ended
   */
  holdUntilSent(response: ServerResponse): void {
    // What the kernel has taken at once is in nobody's memory here.
    if (response.writableLength === 0 || response.destroyed) return;
    this.#unsent.set(response, performance.now());
    this.inFlight += 1;
    response.once('close', () => this.#release(response));
  }

  /** Closes connections whose clients have not read their answers for too long, as far as their places are needed. */
  makeRoom(): void {
    for (const [response, since] of this.#unsent) {
      if (this.inFlight <= this.#maxInFlight || performance.now() - since < patience) return;
      this.#release(response);
      response.destroy();
      this.#disconnected += 1;
    }
  }

  #release(response: ServerResponse): void {
    if (this.#unsent.delete(response)) this.inFlight -= 1;
  }

  /** Notes that a request was refused for it. */
  noteRefusal(): void {
    this.#refused += 1;
  }

  /** How late the next look at the event loop is by now: one turn may have a thousand requests to answer. */
  #lateness(): number {
    return performance.now() - this.#sampledAt - sampleInterval;
  }

  /** For how long this thread has worked since the last look, in milliseconds. */
  #work(): number {
    const { user, system } = process.threadCpuUsage(this.#workAt);
    return (user + system) / 1000;
  }

  #sample(): void {
    const now = performance.now();
    const latest = this.#lateness();
    this.#delay = Math.min(latest, this.#latest);
    this.#latest = latest;
    this.#sampledAt = now;
    this.#workAt = process.threadCpuUsage();
    if (this.#refused + this.#disconnected === 0 || now - this.#reportedAt < reportInterval) return;
    const state = {
      refused: this.#refused,
      disconnected: this.#disconnected,
      inFlight: this.inFlight,
      eventLoopDelay: Math.round(this.#delay),
    };
    this.#logger.warn(state, 'overloaded: requests are refused');
    this.#refused = 0;
    this.#disconnected = 0;
    this.#reportedAt = now;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
