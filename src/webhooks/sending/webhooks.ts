import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Db } from '../../database/db.ts';
import type { WebhookDelivery } from '../../database/tables.ts';
import { describeError } from '../../observability/log.ts';
import type { Sealer } from '../../secrets/sealer.ts';
import { Clock } from './clock.ts';
import { noteExpiries } from './expiries.ts';
import { Line } from './line.ts';
import { handOut } from './outbox.ts';
import { downInterval, freshFor, Receiver, type Source } from './receiver.ts';
import { type Outcome, send } from './send.ts';
import {
  type Candidate,
  correctDueTimes,
  findDeliveries,
  giveBack,
  giveUp,
  lease,
  postpone,
  settle,
  type TakenDelivery,
  takeDeliveries,
  tidy,
  waitingDeliveries,
} from './stored-deliveries.ts';
import {
  agreeOnEndpoints,
  clearFailing,
  createEndpointReader,
  noteFailing,
  pauseGone,
} from './stored-endpoints.ts';

/** The usual times, in milliseconds. */
const usualPace = {
  /**
   * The wait for further changes after a change, so that one run hands them out together: each run takes some
   * commits.
   */
  gather: 100,
  /** The interval at which the database is asked for other nodes' changes and for deliveries that are due again. */
  poll: 2000,
  /** The longest time for an attempt. */
  timeout: lease / 2,
  /** The first pause after a failed attempt of a delivery; it doubles each time, up to the longest. */
  firstRetry: 5000,
  longestRetry: 30 * 60_000,
};

type Pace = Readonly<typeof usualPace>;

/**
 * The intervals of the search for expiring keys, of tidying up, and of counting the waiting deliveries, in
 * milliseconds.
 */
const expiryInterval = 60_000;
const tidyInterval = 10 * 60_000;
const countInterval = 15_000;

/**
 * The longest waits of a stop, in milliseconds: for running attempts to end by themselves; then for those that the
 * stop has ended to be given back. Other parts of the service write their counts afterwards, so no wait is longer.
 */
const stopPatience = 400;
const giveBackPatience = 300;

/**
 * The pause after a number of failed attempts, in milliseconds: it doubles each time, up to the longest, and is up to a
 * quarter shorter at random, so that attempts that failed together are not repeated together.
 */
export const pauseAfter = (
  attempts: number,
  { firstRetry, longestRetry }: Pick<Pace, 'firstRetry' | 'longestRetry'> = usualPace,
): number =>
  Math.min(firstRetry * 2 ** Math.min(attempts - 1, 30), longestRetry) * (0.75 + Math.random() / 4);

/** The candidates for each free place: most of them may be of accounts that have their share already. */
const candidatesEach = 4;

/** The configuration of webhooks. */
interface WebhooksConfig extends Readonly<Config['webhooks']> {
  /** Whether operators may add endpoints. If so, the service looks for new endpoints as often as for deliveries. */
  readonly isAdministered: boolean;
}

/**
 * Sends events to webhook endpoints: the configured ones, and those that operators added. This happens beside
 * requests, with some connections for each endpoint. No endpoint waits for another, no account for another, and
 * nothing for a delivery that fails but what comes later about the same key. Disposing of the object ends the running attempts; their deliveries are sent again later.
 */
export class Webhooks implements AsyncDisposable {
  /** The numbers of successful and failed attempts, and of deliveries that were given up. */
  readonly counts = { delivered: 0, failed: 0, parked: 0 };
  /** The waiting deliveries at the last count. */
  waiting: { readonly count: number; readonly since: Date | undefined } = { count: 0, since: undefined };
  readonly #db: Db;
  readonly #config: WebhooksConfig;
  readonly #readEndpoints: ReturnType<typeof createEndpointReader>;
  readonly #logger: Logger;
  readonly #userAgent: string;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #line: Line;
  /** The receivers that are being filled, and whether they must be filled again. */
  readonly #filling = new Map<Receiver, boolean>();
  readonly #stop = new AbortController();
  readonly #work = new Set<Promise<void>>();
  readonly #doneAt = new Map<object, number>();
  #isStopping = false;
  /** The endpoints by id; undefined before the first look. */
  #receivers: ReadonlyMap<number, Receiver> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #interval = 0;
  #turn: Promise<void> | undefined;
  #isHandingOut = false;
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
    this.#readEndpoints = createEndpointReader(config.endpoints, sealer, (endpoint, error) =>
      logger.error(
        { endpoint, error: describeError(error) },
        'could not decrypt the secrets of a webhook endpoint; sending nothing to it',
      ),
    );
    this.#userAgent = `Keyward/${version}`;
    this.#pace = { ...usualPace, ...pace };
    this.#clock = new Clock(db, logger, () => this.#line.reset());
    this.#line = new Line(this.#clock.now);
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
    this.#isStopping = true;
    await this.#idle(stopPatience);
    this.#stop.abort();
    await this.#idle(giveBackPatience);
  }

  /** Waits until nothing runs, or for a time in milliseconds. */
  async #idle(longest: number): Promise<void> {
    const over = performance.now() + longest;
    for (let left = longest; left > 0 && (this.#turn || this.#work.size > 0); left = over - performance.now())
      await Promise.race([Promise.all([this.#turn, ...this.#work]), delay(left)]);
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
      await this.#every(expiryInterval, noteExpiries, () => this.#heedClock(receivers));
      this.#inBackground(this.#handOutAll());
      this.#fillAll();
      await this.#every(countInterval, waitingDeliveries, async () => {
        this.waiting = await waitingDeliveries(this.#db);
      });
    }
    // Deliveries of former endpoints must also be deleted in time.
    this.#inBackground(this.#every(tidyInterval, tidy, () => this.#tidy()));
  }

  /** Announces expiries, and makes due what another clock has put far away. */
  async #heedClock(receivers: ReadonlyMap<number, Receiver>): Promise<void> {
    if (await this.#clock.check()) await noteExpiries(this.#db, this.#clock.now());
    for (const id of receivers.keys())
      await correctDueTimes(this.#db, id, this.#clock.now(), 2 * this.#pace.longestRetry);
  }

  /** Hands out all events. Deliveries are sent meanwhile, and other writers have half of the time. */
  async #handOutAll(): Promise<void> {
    if (this.#isHandingOut) return;
    this.#isHandingOut = true;
    try {
      for (let hasMore = true; hasMore && !this.#isStopping; ) {
        const begunAt = performance.now();
        hasMore = await handOut(this.#db, this.#line);
        this.#fillAll();
        if (hasMore) await delay(performance.now() - begunAt);
      }
    } finally {
      this.#isHandingOut = false;
    }
  }

  #fillAll(): void {
    for (const receiver of this.#receivers?.values() ?? []) this.#fill(receiver);
  }

  async #findReceivers(): Promise<ReadonlyMap<number, Receiver>> {
    const known = this.#receivers ?? new Map<number, Receiver>();
    if (this.#receivers === undefined) await agreeOnEndpoints(this.#db, this.#config.endpoints);
    const endpoints = await this.#readEndpoints(this.#db);
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
    await this.#handOutAll();
    // What is given up stays so: the clock may have leapt since it was last looked at.
    if (!(await this.#clock.check())) return;
    this.#noteParked(await tidy(this.#db, this.#line, this.#clock.now(), this.#stop.signal));
  }

  /** Takes as many deliveries of an endpoint as it has room for, and sends them. */
  #fill(receiver: Receiver): void {
    const isFilling = this.#filling.has(receiver);
    this.#filling.set(receiver, true);
    if (!isFilling) this.#inBackground(this.#fillUp(receiver).finally(() => this.#filling.delete(receiver)));
  }

  async #fillUp(receiver: Receiver): Promise<void> {
    while (this.#filling.get(receiver) && !this.#isStopping) {
      this.#filling.set(receiver, false);
      const found = await this.#find(receiver);
      if (this.#isStopping) return;
      for (const delivery of await takeDeliveries(this.#db, found, this.#clock.now()))
        this.#carry(receiver, delivery);
    }
  }

  /** Finds the deliveries for which an endpoint has room: some that were attempted before, and those in line. */
  async #find(receiver: Receiver): Promise<Candidate[]> {
    const { all, again } = receiver.room;
    if (all === 0) return [];
    const chosen: Candidate[] = [];
    // Where nothing is taken, somebody else's delivery tells sooner that something would be.
    if (receiver.isDown) await this.#choose(receiver, 'line', chosen, 1, receiver.refusedAccounts);
    const few = Math.min(again, Math.ceil(all / 4), all - chosen.length);
    const found = await this.#choose(receiver, 'again', chosen, few);
    await this.#choose(receiver, 'line', chosen, all - chosen.length);
    // More of those that were attempted before, where nothing else waits.
    const more = Math.min(again - few, all - chosen.length);
    if (found >= few) await this.#choose(receiver, 'again', chosen, more);
    return chosen;
  }

  /**
   * Adds some deliveries to those that are chosen, no more of an account than it may have.
   * @param without the accounts whose deliveries are left out
   * @returns the number of deliveries that were found
   */
  async #choose(
    receiver: Receiver,
    from: Source,
    chosen: Candidate[],
    most: number,
    without = receiver.busyAccounts(from),
  ): Promise<number> {
    if (most <= 0) return 0;
    const found = await findDeliveries(this.#db, from, {
      endpoint: receiver.endpoint.id,
      now: this.#clock.now(),
      without,
      most: most * candidatesEach,
    });
    const full = chosen.length + most;
    for (const each of found) {
      if (chosen.length === full) break;
      const ofAccount = chosen.filter(({ account }) => account === each.account).length;
      const isNew = chosen.every(({ id }) => id !== each.id);
      if (isNew && ofAccount < receiver.roomOf(each.account, from)) chosen.push(each);
    }
    return found.length;
  }

  /** Sends a delivery in the background. */
  #carry(receiver: Receiver, delivery: TakenDelivery): void {
    const end = receiver.begin(delivery);
    const fill = () => this.#fill(receiver);
    const slow = setTimeout(fill, freshFor).unref();
    const work = this.#attempt(receiver, delivery).finally(() => {
      clearTimeout(slow);
      end();
      fill();
      if (receiver.isDown) setTimeout(fill, downInterval).unref();
    });
    this.#inBackground(work);
  }

  /** Sends a delivery once, and records the outcome. */
  async #attempt(receiver: Receiver, delivery: TakenDelivery): Promise<void> {
    const outcome = await send(receiver.endpoint, delivery, {
      timeout: this.#pace.timeout,
      userAgent: this.#userAgent,
      allowedHosts: this.#config.allowedHosts,
      signal: this.#stop.signal,
      now: this.#clock.now(),
    });
    if (outcome.isDelivered) {
      this.#noteDelivered(receiver);
      await settle(this.#db, this.#line, delivery, outcome.text);
      return this.#noteFailing(receiver, undefined);
    }
    const now = this.#clock.now();
    // An attempt that a stop has ended says nothing about the receiver.
    if (this.#stop.signal.aborted) return void (await giveBack(this.#db, { ...delivery, now }));
    this.#noteFailed(receiver, delivery, outcome);
    await this.#noteFailing(receiver, now);
    if (delivery.keptUntil <= now && (await this.#clock.check()))
      return this.#noteParked(Number(await giveUp(this.#db, this.#line, delivery, outcome.text)));
    if (outcome.isGone) await this.#pauseGone(receiver, now);
    const wait = this.#waitAfter(receiver, delivery, outcome);
    const next = new Date(now.getTime() + wait);
    await postpone(this.#db, { ...delivery, lastOutcome: outcome.text, now, next });
  }

  /** Records that the attempts at an endpoint begin to fail, or succeed again, if that is news. */
  async #noteFailing(receiver: Receiver, since: Date | undefined): Promise<void> {
    const isFailing = since !== undefined;
    if (receiver.endpoint.isFailing === isFailing) return;
    receiver.endpoint = { ...receiver.endpoint, isFailing };
    const { id } = receiver.endpoint;
    await (since ? noteFailing(this.#db, { id, now: since }) : clearFailing(this.#db, { id }));
  }

  /** Pauses an endpoint that is gone for good. Its deliveries wait, and can be sent if an operator lets it go on. */
  async #pauseGone(receiver: Receiver, now: Date): Promise<void> {
    const paused = await pauseGone(this.#db, { id: receiver.endpoint.id, now });
    receiver.endpoint = { ...receiver.endpoint, isPaused: true };
    if (paused.length > 0)
      this.#logger.error(
        inLog(receiver),
        'a webhook endpoint answered 410 (Gone); it is paused until an operator resumes it',
      );
  }

  /** The time before the next attempt, in milliseconds. A receiver that names one is sent nothing before. */
  #waitAfter(receiver: Receiver, { attempts }: TakenDelivery, { retryAfter }: Outcome): number {
    if (retryAfter === undefined) return pauseAfter(attempts, this.#pace);
    const { firstRetry, longestRetry } = this.#pace;
    const wait = Math.min(Math.max(retryAfter, firstRetry), longestRetry);
    receiver.hold(wait);
    return wait;
  }

  #noteDelivered(receiver: Receiver): void {
    this.counts.delivered += 1;
    if (receiver.succeed()) this.#logger.info(inLog(receiver), 'a webhook endpoint accepts events again');
  }

  #noteFailed(receiver: Receiver, { account, type, message }: WebhookDelivery, { text }: Outcome): void {
    this.counts.failed += 1;
    if (receiver.fail(account))
      this.#logger.warn(
        { ...inLog(receiver), type, message, outcome: text },
        'a webhook endpoint did not accept an event; will retry',
      );
  }

  #noteParked(parked: number): void {
    this.counts.parked += parked;
    if (parked > 0) this.#logger.warn({ deliveries: parked }, 'webhook deliveries given up after three days');
  }

  /** Logs once that events cannot be handed out, and once that they can again. */
  #noteFault(error: unknown): void {
    const reason = error === undefined ? undefined : `${(error as Error).name} ${(error as Error).message}`;
    if (reason === this.#fault) return;
    this.#fault = reason;
    if (error === undefined) this.#logger.info('sending webhooks again');
    else this.#logger.warn({ error: describeError(error) }, 'could not send webhooks; will retry');
  }
}

/** The endpoint's fields in a log line; its path and query may be a secret of the receiver. */
const inLog = ({ endpoint: { id, url } }: Receiver) => ({ endpoint: id, host: new URL(url).host });
