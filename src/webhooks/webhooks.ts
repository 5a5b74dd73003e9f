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
  /** How long is waited after a change for others, which are handed out with it: each time takes some commits. */
  readonly gather: number;
  /** How often the database is asked for what other nodes have changed, and what is due again. */
  readonly poll: number;
  /** How long an attempt may take. */
  readonly timeout: number;
  /** When a delivery that has failed is due again at first; then after twice as long each time, up to the longest. */
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** For how long an endpoint is left alone that has failed, at first and at the longest. */
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

/** How many deliveries are on their way to one endpoint. */
const mostAtOnce = 4;

/** How many deliveries of a lane are sent before it is another's turn. */
const mostInARow = 20;

/** How often it is looked for what expires, for what is over, and how much waits, in milliseconds. */
const expiryInterval = 60_000;
const tidyInterval = 10 * 60_000;
const countInterval = 15_000;

/** How long a stop waits for what is on its way, in milliseconds. */
const stopPatience = 1000;

/** By chance up to a quarter sooner: what has failed together is not tried again together. */
const about = (milliseconds: number): number => milliseconds * (0.75 + Math.random() / 4);

const growing = (first: number, longest: number, times: number): number =>
  about(Math.min(first * 2 ** Math.min(times, 30), longest));

/** An endpoint as this node sees it. */
class Receiver {
  /** As it was when this node last looked. */
  endpoint: Endpoint;
  /** Whether it is there no more. */
  isGone = false;
  /** How many lanes of it this node has taken. */
  taken = 0;
  /** How many attempts in a row have failed. */
  failures = 0;
  /** Until when nothing is sent to it, on the clock of `performance.now`. */
  restsUntil = 0;
  isTaking = false;
  isAskedAgain = false;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** Whether anything is sent to it. */
  get isOn(): boolean {
    return !this.isGone && !this.endpoint.isPaused;
  }

  /** How many more may be on their way now: one that fails is tried by one at a time. */
  get room(): number {
    if (!this.isOn || performance.now() < this.restsUntil) return 0;
    return (this.failures > 0 ? 1 : mostAtOnce) - this.taken;
  }
}

/** Is told of what may be there to be sent. */
export interface Wakeable {
  wake(): void;
}

/** What webhooks are told of the configuration. */
interface WebhooksConfig extends Readonly<Config['webhooks']> {
  /** Whether operators may add endpoints: then it is looked for them as often as for what is to be sent. */
  readonly isAdministered: boolean;
}

/**
 * Tells endpoints of what happens, those of the configuration and those that operators have added. It works beside
 * requests, with a few connections for each endpoint: one that hangs or fails is left alone for a while, and no other
 * waits for it. Disposing of it ends what is on its way, which is sent again later.
 */
export class Webhooks implements Wakeable, AsyncDisposable {
  /** What attempts came to, and how many deliveries were given up. */
  readonly counts = { delivered: 0, failed: 0, parked: 0 };
  /** What waits, as it was last counted. */
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
  /** Undefined: nobody has looked yet. */
  #receivers: ReadonlyMap<number, Receiver> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #interval = 0;
  #turn: Promise<void> | undefined;
  #isAwake = false;
  #fault: string | undefined;

  /**
   * @param sealer opens the secrets of endpoints that were added
   * @param version of this service, for the receivers
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

  /** Looks for what is to be sent, soon; it is called after each change, and costs nothing then. */
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
      // What comes from now on is another turn's.
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
    // What is left from when there were some is kept no longer than it was to be.
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

  /** Does something that is due from time to time. */
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

  /** Has something end by itself; a stop waits for it. */
  #inBackground(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => this.#noteFault(error))
      .finally(() => this.#work.delete(ended));
    this.#work.add(ended);
  }

  async #tidy(): Promise<void> {
    // Where there are no endpoints any more, what happened before is told nobody.
    while (!this.#isStopping && (await handOut(this.#db)));
    this.#noteParked(await tidy(this.#db, new Date(), this.#stop.signal));
  }

  /** Takes as many lanes of an endpoint as there is room for, and sends what waits in them. */
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

  /** Sends what waits in a lane, in the background. */
  #carry(receiver: Receiver, lane: WebhookLane): void {
    receiver.taken += 1;
    const work = this.#deliver(receiver, lane).finally(() => {
      receiver.taken -= 1;
      void this.#fill(receiver);
    });
    this.#inBackground(work);
  }

  /** Sends what is first in a lane, and what comes next while all goes well. */
  async #deliver(receiver: Receiver, lane: WebhookLane): Promise<void> {
    const delivery = await firstOf(this.#db, lane);
    if (!delivery) return closeLane(this.#db, lane);
    let held: Held | undefined = { lane, delivery };
    for (let more = mostInARow - 1; held; more -= 1) held = await this.#attempt(receiver, held, more > 0);
  }

  /** Sends a delivery once; answers what comes next in its lane, where that is to be sent now. */
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
    // An attempt that a stop has ended is none.
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
    // The next poll may be later than its rest is over.
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

  /** Tells once why events cannot be handed out, and once that they can. */
  #noteFault(error: unknown): void {
    const reason = error === undefined ? undefined : `${(error as Error).name} ${(error as Error).message}`;
    if (reason === this.#fault) return;
    this.#fault = reason;
    if (error === undefined) this.#logger.info('webhooks are sent again');
    else this.#logger.warn({ error: describeError(error) }, 'webhooks cannot be sent now');
  }
}

/** An endpoint for the log: its path and query may hold what only its receiver should know. */
const inLog = ({ endpoint: { id, url } }: Receiver) => ({ endpoint: id, host: new URL(url).host });
