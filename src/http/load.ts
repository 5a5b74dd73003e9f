import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { SchemaState } from '../database/current-db.ts';
import { GatewayError } from '../errors.ts';
import { answerError, type Middleware } from './exchange.ts';

/**
 * The interval between two samples of the event loop, and the least time between two log lines about refused
 * requests, in milliseconds.
 */
const sampleInterval = 100;
const reportInterval = 10_000;

/** The time for which an answer may stay unread before another request may take its place, in milliseconds. */
const patience = 1000;

/**
 * Measures the load of this process.
 *
 * Requests that wait for the database are counted. Requests that wait for the processor are not countable, because
 * Node has not yet read most of them; the delay of the event loop shows them. A single delay may have other causes (a
 * slow disk, a machine that stood still). So the load is too high if the event loop was late twice in a row, or once
 * by twice as much while this thread was working.
 *
 * Disposing of the object ends the sampling.
 */
export class Load implements Disposable {
  /** The number of requests without an answer, and of answers that are not fully sent. */
  inFlight = 0;
  /** The answers that clients have not read completely, the oldest first, each with the time since when. */
  readonly #unsent = new Map<ServerResponse, number>();
  readonly #maxInFlight: number;
  readonly #maxDelay: number;
  readonly #logger: Logger;
  readonly #timer = setInterval(() => this.#sample(), sampleInterval).unref();
  /**
   * The delay of the event loop at the last sample, and the smaller delay of the last two samples, in milliseconds.
   */
  #latest = 0;
  #delay = 0;
  #sampledAt = performance.now();
  #workAt = process.threadCpuUsage();
  #refused = 0;
  #disconnected = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param maxInFlight the most requests at a time
   * @param maxDelay the greatest acceptable delay of the event loop, in milliseconds
   */
  constructor(maxInFlight: number, logger: Logger, maxDelay = 500) {
    this.#maxInFlight = maxInFlight;
    this.#maxDelay = maxDelay;
    this.#logger = logger;
  }

  /** Whether the process has more work than it can finish in time. */
  get isTooMuch(): boolean {
    return (
      this.inFlight > this.#maxInFlight ||
      this.#delay > this.#maxDelay ||
      (this.#lateness() > 2 * this.#maxDelay && this.#work() > this.#maxDelay)
    );
  }

  /**
   * Counts an answer as in flight until the answer is sent or its connection closes, because an unread answer takes
   * memory.
   * @param response a response that has ended
   */
  holdUntilSent(response: ServerResponse): void {
    // Not `writableFinished`, which Node sets a turn later: the system has taken all that is no longer buffered here.
    if (response.writableLength === 0 || response.destroyed) return;
    this.#unsent.set(response, performance.now());
    this.inFlight += 1;
    response.once('close', () => this.#release(response));
  }

  /**
   * Closes the connections of clients that left their answers unread for too long, as many as the process needs
   * places.
   */
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

  /** Counts a request that was refused because of the load. */
  noteRefusal(): void {
    this.#refused += 1;
  }

  /**
   * The delay of the next sample so far, in milliseconds. One turn of the event loop may have a thousand requests to
   * answer.
   */
  #lateness(): number {
    return performance.now() - this.#sampledAt - sampleInterval;
  }

  /** The processor time of this thread since the last sample, in milliseconds. */
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
    this.#logger.warn(state, 'overloaded: refusing requests');
    this.#refused = 0;
    this.#disconnected = 0;
    this.#reportedAt = now;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/**
 * Counts the requests in flight, and turns an error that the handler throws into an answer. While the load is too high,
 * refuses new requests with 503 before any other work. So the accepted requests get their answers in time, and memory
 * stays bounded. Refuses every request once a newer version has changed the schema: this version would call a key valid
 * that the newer version refuses.
 * @param translate turns any error into a GatewayError
 * @param schema whether this version can still work with the schema of the database
 */
export const guard =
  (load: Load, translate: (error: unknown) => GatewayError, schema?: SchemaState): Middleware =>
  (next) =>
  async (exchange) => {
    load.inFlight += 1;
    try {
      load.makeRoom();
      if (load.isTooMuch) {
        load.noteRefusal();
        // Records no failure: thousands of requests in a second would say the same.
        return answerError(exchange, overloaded());
      }
      if (schema?.fault !== undefined) throw outdated();
      return await next(exchange);
    } catch (error) {
      exchange.record.failure = translate(error);
      return answerError(exchange, exchange.record.failure);
    } finally {
      load.inFlight -= 1;
    }
  };

const outdated = () =>
  new GatewayError('SERVICE_UNAVAILABLE', 'This node is older than its database', {
    reason: 'schema-newer',
    headers: { 'retry-after': '5' },
  });

const overloaded = () =>
  new GatewayError('SERVICE_UNAVAILABLE', 'Service Unavailable', { headers: { 'retry-after': '1' } });

/**
 * Handles the requests of a connection one after another: each request starts after the answer before it is written
 * and after other connections had their turn. So a client that sends many requests and reads nothing costs one answer
 * and its waiting requests, and nobody else waits for all its requests. While an answer stays unread, Node reads no
 * more from that connection.
 * @param mostWaiting the most waiting requests, on all connections together; each takes some three kilobytes. If
 *   there are more, the connection with the most of them is closed.
 */
export function inTurn(listener: RequestListener, mostWaiting = 10_000): RequestListener {
  /** The numbers of waiting requests: by connection, and on all of them. */
  const waiting = new Map<Socket, number>();
  let total = 0;

  const forget = (socket: Socket): void => {
    total -= waiting.get(socket) ?? 0;
    waiting.delete(socket);
  };
  const closeLongest = (): void => {
    const [socket] = [...waiting].reduce((longest, each) => (each[1] > longest[1] ? each : longest));
    forget(socket);
    socket.destroy();
  };
  const count = (socket: Socket, more: 1 | -1): void => {
    waiting.set(socket, (waiting.get(socket) ?? 0) + more);
    total += more;
  };

  return (request, response) => {
    const { socket } = request;
    // Node attaches the connection to a response once the answers before it are written.
    if (response.socket) return listener(request, response);
    // The connection was closed for its too many requests; this one arrived in the same piece.
    if (socket.destroyed) return;
    if (!waiting.has(socket)) socket.once('close', () => forget(socket));
    count(socket, 1);
    if (total > mostWaiting) closeLongest();
    response.once('socket', () => {
      if (socket.destroyed) return;
      count(socket, -1);
      setImmediate(listener, request, response);
    });
  };
}
