import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { GatewayError } from '../errors.ts';
import { answerError } from './answers.ts';
import type { Middleware } from './exchange.ts';

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
    if (response.writableFinished || response.destroyed) return;
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

/**
 * Counts requests in flight, and refuses them with 503 while there is too much to do, before anything is done for them:
 * so those that are taken on are answered in time, and memory stays bounded.
 */
export const shedLoad =
  (load: Load): Middleware =>
  (next) =>
  async (exchange) => {
    load.inFlight += 1;
    try {
      load.makeRoom();
      if (!load.isTooMuch) return await next(exchange);
      load.noteRefusal();
      // Not noted as a failure: thousands would say the same in a second.
      return answerError(exchange, overloaded());
    } finally {
      load.inFlight -= 1;
    }
  };

const overloaded = () =>
  new GatewayError('SERVICE_UNAVAILABLE', 'Service Unavailable', { headers: { 'retry-after': '1' } });

/** Requests that wait for their turn, by connection. */
class Waiting {
  readonly #most: number;
  readonly #counts = new Map<Socket, number>();
  #total = 0;

  /** @param most the most that may wait, on all connections together */
  constructor(most: number) {
    this.#most = most;
  }

  /** One more waits; where that is too many, the connection with the most of them is closed. */
  add(socket: Socket): void {
    const count = this.#counts.get(socket);
    if (count === undefined) socket.once('close', () => this.#forget(socket));
    this.#counts.set(socket, (count ?? 0) + 1);
    this.#total += 1;
    if (this.#total > this.#most) this.#closeLongest();
  }

  /** One waits no longer. */
  remove(socket: Socket): void {
    this.#counts.set(socket, (this.#counts.get(socket) ?? 0) - 1);
    this.#total -= 1;
  }

  #closeLongest(): void {
    const [socket] = [...this.#counts].reduce((longest, each) => (each[1] > longest[1] ? each : longest));
    this.#forget(socket);
    socket.destroy();
  }

  #forget(socket: Socket): void {
    this.#total -= this.#counts.get(socket) ?? 0;
    this.#counts.delete(socket);
  }
}

/**
 * Has the requests of a connection answered in turn: each once the answer before it is written, and once other
 * connections had their turn. So a client that sends many and reads nothing costs one answer and what waits, and nobody
 * waits for all that it asked for. While an answer waits to be read, Node reads no more from its connection.
 * @param mostWaiting the most requests that may wait, on all connections together: each takes some three kilobytes.
 *   Where there are more, the connection with the most of them is closed.
 */
export function inTurn(listener: RequestListener, mostWaiting = 10_000): RequestListener {
  const waiting = new Waiting(mostWaiting);
  return (request, response) => {
    const { socket } = request;
    // Node gives a response its connection when the answers before it are written.
    if (response.socket) return listener(request, response);
    // What came in one piece with the request that was one too many.
    if (socket.destroyed) return;
    waiting.add(socket);
    response.once('socket', () => {
      if (socket.destroyed) return;
      waiting.remove(socket);
      setImmediate(listener, request, response);
    });
  };
}
