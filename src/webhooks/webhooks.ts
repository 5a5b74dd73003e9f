import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Db } from '../database/db.ts';
import type { WebhookDelivery, WebhookLane } from '../database/tables.ts';
import { describeError } from '../observability/log.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { agreeOnEndpoints, type Endpoint, Endpoints } from './endpoints.ts';
import {
  closeLane,
  firstOf,
  giveBack,
  type Held,
  postpone,
  settle,
  takeLanes,
  tidy,
  waitingDeliveries,
} from './lanes.ts';
import { handOut, noteExpiries } from './outbox.ts';
import { type Outcome, send } from './send.ts';

/** Times in milliseconds. */
interface Pace {
  /**
   * The wait for further changes after a change, so that one run hands them out together: each run takes some
   * commits.
   */
  readonly gather: number;
  /** The interval at which the database is asked for other nodes' changes and for deliveries that are due again. */
  readonly poll: number;
  /** The longest time for an attempt. */
  readonly timeout: number;
  /** The first pause after a failed attempt of a delivery; it doubles each time, up to the longest. */
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** The rest that an endpoint gets after a failure, at first and at the longest. */
  readonly firstRest: number;
  readonly longestRest: number;
}

const usualPace: Pace = {
  gather: 100,
  poll: 2000,
  timeout: 15_000,
  firstRetry: 5000,
  longestRetry: 30 * 60_000,
  firstRest: 500,
  longestRest: 60_000,
};

/** The most concurrent attempts to one endpoint. */
const mostAtOnce = 4;

/** The most deliveries of a lane before it is another lane's turn. */
const mostInARow = 20;

/**
 * The intervals of the search for expiring keys, of tidying up, and of counting the waiting deliveries, in
 * milliseconds.
 */
const expiryInterval = 60_000;
const tidyInterval = 10 * 60_000;
const countInterval = 15_000;

/** The longest wait of a stop for running attempts, in milliseconds. */
const stopPatience = 1000;

/** Shortens a time at random by up to a quarter, so that attempts that failed together are not repeated together. */
const about = (milliseconds: number): number => milliseconds * (0.75 + Math.random() / 4);

const growing = (first: number, longest: number, times: number): number =>
  about(Math.min(first * 2 ** Math.min(times, 30), longest));

/** An endpoint with this node's state of it. */
class Receiver {
  /** The endpoint as this node last read it. */
  endpoint: Endpoint;
  /** Whether the endpoint no longer exists. */
  isGone = false;
  /** The number of the endpoint's lanes that this node has taken. */
  taken = 0;
  /** The number of consecutive failed attempts. */
  failures = 0;
  /** The end of the endpoint's rest, by `performance.now()`. */
  restsUntil = 0;
  isTaking = false;
  isAskedAgain = false;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** Whether the service sends anything to the endpoint. */
  get isOn(): boolean {
    return !this.isGone && !this.endpoint.isPaused;
  }

  /** The number of further lanes that may start now; a failing endpoint gets one attempt at a time. */
  get room(): number {
    if (!this.isOn || performance.now() < this.restsUntil) return 0;
    return (this.failures > 0 ? 1 : mostAtOnce) - this.taken;
  }
}

/** Looks for new events when it is woken. */
export interface Wakeable {
  wake(): void;
}

/** The configuration of webhooks. */
interface WebhooksConfig extends Readonly<Config['webhooks']> {
  /** Whether operators may add endpoints. If so, the service looks for new endpoints as often as for deliveries. */
  readonly isAdministered: boolean;
}

/**
 * Sends events to webhook endpoints: the configured ones, and those that operators added. This happens beside
 * requests, with a few connections for each endpoint. An endpoint that hangs or fails rests for a while, and no other
 * endpoint waits for it. Disposing of the object ends the running attempts; their deliveries are sent again later.
 */
export class Webhooks implements Wakeable, AsyncDisposable {
  /** The numbers of successful and failed attempts, and of deliveries that were given up. */
  readonly counts = { delivered: 0, failed: 0, parked: 0 };
  /** The waiting deliveries at the last count. */
  waiting: { readonly count: number; readonly since: Date | undefined } = { count: 0, since: undefined };
  readonly #db: Db;
  readonly #config: WebhooksConfig;
  readonly #endpoints: Endpoints;
  readonly #logger: Logger;
  readonly #userAgent: string;
  readonly #pace: Pace;
  readonly #stop = new AbortController();
  readonly #work = new Set<Promise<void>>();
  readonly #doneAt = new Map<object, number>();
  #isStopping = false;
  /** The endpoints by id; undefined before the first look. */
  #receivers: ReadonlyMap<number, Receiver> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #interval = 0;
  #turn: Promise<void> | undefined;
  #isAwake = false;
  #fault: string | undefined;

  /**
   * @param sealer opens the secrets of endpoints that operators added
   * @param version this service's version, for the receivers
   */
  constructor(
    db: Db,
    sealer: Sealer,
    config: WebhooksConfig,
    logger: Logger,
    version: string,
    pace: Partial<Pace> = {},
  ) {
    this.#db = db;
    this.#config = config;
    this.#logger = logger;
    this.#endpoints = new Endpoints(config.endpoints, sealer, (endpoint, error) =>
      logger.error(
        { endpoint, error: describeError(error) },
        'the secrets of a webhook endpoint cannot be opened: nothing is sent to it',
      ),
    );
    this.#userAgent = `Keyward/${version}`;
    this.#pace = { ...usualPace, ...pace };
    this.#lookEvery(this.#pace.poll);
    this.#look();
  }

  /** Looks for new events soon. Each change calls this; the call itself costs nothing. */
  wake(): void {
    if (this.#receivers?.size !== 0) this.#look();
  }

  #look(): void {
    if (this.#stop.signal.aborted) return;
    this.#isAwake = true;
    this.#turn ??= this.#takeTurns().finally(() => {
      this.#turn = undefined;
    });
  }

  #lookEvery(interval: number): void {
    if (interval === this.#interval || this.#isStopping) return;
    this.#interval = interval;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#look(), interval).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    const late = setTimeout(() => this.#stop.abort(), stopPatience);
    this.#isStopping = true;
    await this.#turn;
    await Promise.all(this.#work);
    clearTimeout(late);
    this.#stop.abort();
  }

  async #takeTurns(): Promise<void> {
    while (this.#isAwake && !this.#isStopping) {
      await delay(this.#pace.gather);
      // Later changes belong to the next run.
      this.#isAwake = false;
      try {
        await this.#takeTurn();
        this.#noteFault(undefined);
      } catch (error) {
        this.#noteFault(error);
        return;
      }
    }
  }

  async #takeTurn(): Promise<void> {
    const receivers = await this.#findReceivers();
    const isNeeded = receivers.size > 0 || this.#config.isAdministered;
    this.#lookEvery(isNeeded ? this.#pace.poll : tidyInterval);
    if (receivers.size > 0) {
      await this.#every(expiryInterval, noteExpiries, () => noteExpiries(this.#db));
      while (!this.#isStopping && (await handOut(this.#db)));
      for (const receiver of receivers.values()) void this.#fill(receiver);
      await this.#every(countInterval, waitingDeliveries, async () => {
        this.waiting = await waitingDeliveries(this.#db);
      });
    }
    // Deliveries of former endpoints must also be deleted in time.
    this.#inBackground(this.#every(tidyInterval, tidy, () => this.#tidy()));
  }

  async #findReceivers(): Promise<ReadonlyMap<number, Receiver>> {
    const known = this.#receivers ?? new Map<number, Receiver>();
    if (this.#receivers === undefined) await agreeOnEndpoints(this.#db, this.#config.endpoints);
    const endpoints = await this.#endpoints.read(this.#db);
    const there = new Map(
      endpoints.map((endpoint) => {
        const receiver = known.get(endpoint.id) ?? new Receiver(endpoint);
        return [endpoint.id, Object.assign(receiver, { endpoint })];
      }),
    );
    for (const [id, receiver] of known) receiver.isGone = !there.has(id);
    this.#receivers = there;
    return there;
  }

  /** Runs something at regular intervals. */
  async #every(milliseconds: number, what: object, work: () => Promise<void>): Promise<void> {
    const doneAt = this.#doneAt.get(what);
    if (doneAt !== undefined && performance.now() - doneAt < milliseconds) return;
    this.#doneAt.set(what, performance.now());
    try {
      await work();
    } catch (error) {
      this.#doneAt.delete(what);
      throw error;
    }
  }

  /** Runs something in the background; a stop waits for it. */
  #inBackground(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => this.#noteFault(error))
      .finally(() => this.#work.delete(ended));
    this.#work.add(ended);
  }

  async #tidy(): Promise<void> {
    // Without endpoints, earlier events are dropped.
    while (!this.#isStopping && (await handOut(this.#db)));
    this.#noteParked(await tidy(this.#db, new Date(), this.#stop.signal));
  }

  /** Takes as many lanes of an endpoint as it has room for, and sends their deliveries. */
  async #fill(receiver: Receiver): Promise<void> {
    receiver.isAskedAgain = true;
    if (receiver.isTaking) return;
    receiver.isTaking = true;
    try {
      while (receiver.isAskedAgain && !this.#isStopping) {
        receiver.isAskedAgain = false;
        const { room } = receiver;
        if (room <= 0) continue;
        const lanes = await takeLanes(this.#db, receiver.endpoint.id, room);
        for (const lane of lanes) this.#carry(receiver, lane);
      }
    } catch (error) {
      this.#noteFault(error);
    } finally {
      receiver.isTaking = false;
    }
  }

  /** Sends the deliveries of a lane, in the background. */
  #carry(receiver: Receiver, lane: WebhookLane): void {
    receiver.taken += 1;
    const work = this.#deliver(receiver, lane).finally(() => {
      receiver.taken -= 1;
      void this.#fill(receiver);
    });
    this.#inBackground(work);
  }

  /** Sends the first delivery of a lane, and further ones while all goes well. */
  async #deliver(receiver: Receiver, lane: WebhookLane): Promise<void> {
    const delivery = await firstOf(this.#db, lane);
    if (!delivery) return closeLane(this.#db, lane);
    let held: Held | undefined = { lane, delivery };
    for (let more = mostInARow - 1; held; more -= 1) held = await this.#attempt(receiver, held, more > 0);
  }

  /**
   * Sends a delivery once.
   * @returns the next delivery of the lane, if it is to be sent now
   */
  async #attempt(receiver: Receiver, held: Held, goesOn: boolean): Promise<Held | undefined> {
    const outcome = await send(receiver.endpoint, held.delivery, {
      timeout: this.#pace.timeout,
      userAgent: this.#userAgent,
      allowedHosts: this.#config.allowedHosts,
      signal: this.#stop.signal,
    });
    if (outcome.isDelivered) {
      this.#noteDelivered(receiver);
      return settle(this.#db, held, outcome.text, goesOn && receiver.isOn && !this.#isStopping);
    }
    // An attempt that a stop has ended does not count.
    if (this.#stop.signal.aborted) {
      await giveBack(this.#db, held.lane);
      return undefined;
    }
    this.#noteFailed(receiver, held.delivery, outcome);
    const wait = growing(this.#pace.firstRetry, this.#pace.longestRetry, held.delivery.attempts);
    await postpone(this.#db, held, outcome.text, new Date(Date.now() + wait));
    return undefined;
  }

  #noteDelivered(receiver: Receiver): void {
    this.counts.delivered += 1;
    if (receiver.failures > 0) this.#logger.info(inLog(receiver), 'a webhook endpoint takes events again');
    receiver.failures = 0;
    receiver.restsUntil = 0;
  }

  #noteFailed(receiver: Receiver, { type, message }: WebhookDelivery, { text }: Outcome): void {
    this.counts.failed += 1;
    if (receiver.failures === 0)
      this.#logger.warn(
        { ...inLog(receiver), type, message, outcome: text },
        'a webhook endpoint does not take an event',
      );
    const rest = growing(this.#pace.firstRest, this.#pace.longestRest, receiver.failures);
    receiver.failures += 1;
    receiver.restsUntil = performance.now() + rest;
    // The next poll may come long after the end of the rest.
    setTimeout(() => void this.#fill(receiver), rest).unref();
  }

  #noteParked(parked: number): void {
    this.counts.parked += parked;
    if (parked > 0)
      this.#logger.warn(
        { deliveries: parked },
        'events were given up that no webhook endpoint took in three days',
      );
  }

  /** Logs once that events cannot be handed out, and once that they can again. */
  #noteFault(error: unknown): void {
    const reason = error === undefined ? undefined : `${(error as Error).name} ${(error as Error).message}`;
    if (reason === this.#fault) return;
    this.#fault = reason;
    if (error === undefined) this.#logger.info('webhooks are sent again');
    else this.#logger.warn({ error: describeError(error) }, 'webhooks cannot be sent now');
  }
}

/** The endpoint's fields in a log line; its path and query may be a secret of the receiver. */
const inLog = ({ endpoint: { id, url } }: Receiver) => ({ endpoint: id, host: new URL(url).host });
