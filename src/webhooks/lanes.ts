import { type Kysely, sql } from 'kysely';
import { type Db, isForPostgres, prepareQuery } from '../database/db.ts';
import { type Tables, WebhookDelivery, WebhookLane } from '../database/tables.ts';
import { patience } from './outbox.ts';

/** For how long a node has a lane to itself, in milliseconds: longer than an attempt takes. What it leaves then, others take. */
const lease = 30_000;

const endOfLease = (now: Date): Date => new Date(now.getTime() + lease);

/** For how long a delivery is kept that has reached its endpoint, in milliseconds, and one that was given up. */
const keptWhenDelivered = 3 * 24 * 60 * 60_000;
const keptWhenParked = 30 * 24 * 60 * 60_000;

/** How many deliveries are parked or deleted in one statement: on SQLite others wait for all of it. */
const batchSize = 200;

const dueLanes = (db: Kysely<Tables>, { endpoint, now, most }: Turn) => {
  const due = db
    .selectFrom('webhook_lane')
    .select('id')
    .where('endpoint_id', '=', endpoint)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(most);
  // SQLite has one node, and one transaction at a time.
  return isForPostgres(db) ? due.forUpdate().skipLocked() : due;
};

interface Turn {
  readonly endpoint: number;
  readonly now: Date;
  readonly until: Date;
  readonly most: number;
}

const leaseLanes = prepareQuery(WebhookLane, (db, turn: Turn) =>
  db
    .updateTable('webhook_lane')
    .set({ due_at: turn.until })
    .where('id', 'in', dueLanes(db, turn))
    .returningAll(),
);

/**
 * Takes lanes of an endpoint whose turn it is, those that wait longest; nobody else has them until they are given back,
 * or half a minute has gone.
 * @param most how many at the most
 */
export const takeLanes = (db: Db, endpoint: number, most: number): Promise<WebhookLane[]> => {
  const now = new Date();
  return leaseLanes(db, { endpoint, now, until: endOfLease(now), most }) as Promise<WebhookLane[]>;
};

// A literal, not a parameter: else SQLite does not see that the index of what waits has all of it.
const waiting = sql.lit('waiting');

const selectFirst = prepareQuery(
  WebhookDelivery,
  (db, { endpoint, lane }: Pick<WebhookLane, 'endpoint' | 'lane'>) =>
    db
      .selectFrom('webhook_delivery')
      .selectAll()
      .where('endpoint_id', '=', endpoint)
      .where('lane', '=', lane)
      .where('state', '=', waiting)
      .orderBy('id')
      .limit(1),
);

/** The first delivery that waits in a lane; undefined where none does. */
export const firstOf = async (db: Db, lane: WebhookLane): Promise<WebhookDelivery | undefined> => {
  const [first] = await selectFirst(db, lane);
  return first as WebhookDelivery | undefined;
};

const moveLane = prepareQuery(
  WebhookLane,
  (db, { id, dueAt, next }: Pick<WebhookLane, 'id' | 'dueAt'> & { readonly next: Date }) =>
    db
      .updateTable('webhook_lane')
      .set({ due_at: next })
      .where('id', '=', id)
      .where('due_at', '=', dueAt)
      .returning('id'),
);

const deleteLane = prepareQuery(WebhookLane, (db, { id }: Pick<WebhookLane, 'id'>) =>
  db.deleteFrom('webhook_lane').where('id', '=', id),
);

/** Gives a lane back that this node still has: its next delivery is due then. */
export async function giveBack(db: Db, lane: WebhookLane, next = new Date()): Promise<void> {
  await moveLane(db, { ...lane, next });
}

/** Closes a lane that this node still has and in which nothing waits. */
export const closeLane = (db: Db, lane: WebhookLane): Promise<void> =>
  db.transaction(async (transaction) => {
    // It locks the lane: what is handed out from now on opens it anew, and what was before is seen below.
    const next = new Date();
    if ((await moveLane(transaction, { ...lane, next })).length === 0) return;
    if (!(await firstOf(transaction, lane))) await deleteLane(transaction, lane);
  });

type Attempted = Pick<WebhookDelivery, 'id' | 'lastOutcome'> & { readonly now: Date };

const markDelivered = prepareQuery(
  WebhookDelivery,
  (db, { id, lastOutcome, now, keptUntil }: Attempted & Pick<WebhookDelivery, 'keptUntil'>) =>
    db
      .updateTable('webhook_delivery')
      .set(({ eb }) => ({
        state: 'delivered',
        attempts: eb('attempts', '+', 1),
        last_attempt_at: now,
        last_outcome: lastOutcome,
        kept_until: keptUntil,
      }))
      .where('id', '=', id)
      .where('state', '=', waiting),
);

const markFailed = prepareQuery(WebhookDelivery, (db, { id, lastOutcome, now }: Attempted) =>
  db
    .updateTable('webhook_delivery')
    .set(({ eb }) => ({
      attempts: eb('attempts', '+', 1),
      last_attempt_at: now,
      last_outcome: lastOutcome,
    }))
    .where('id', '=', id)
    .where('state', '=', waiting),
);

/** A lane that this node has, and the delivery that comes next in it. */
export interface Held {
  readonly lane: WebhookLane;
  readonly delivery: WebhookDelivery;
}

/**
 * Writes down that a delivery has reached its endpoint.
 * @param keeps whether this node goes on with the lane; else it is the turn of the lane that waits longest
 * @returns what comes next in the lane, where this node goes on with it
 */
export const settle = (
  db: Db,
  { lane, delivery }: Held,
  outcome: string,
  keeps: boolean,
): Promise<Held | undefined> =>
  db.transaction(async (transaction) => {
    const now = new Date();
    const next = keeps ? endOfLease(now) : now;
    const isOurs = (await moveLane(transaction, { ...lane, next })).length > 0;
    const keptUntil = new Date(now.getTime() + keptWhenDelivered);
    // Whoever has the lane now: it is not sent again.
    await markDelivered(transaction, { id: delivery.id, lastOutcome: outcome, now, keptUntil });
    if (!isOurs) return undefined;
    const following = await firstOf(transaction, lane);
    if (!following) await deleteLane(transaction, lane);
    return following && keeps ? { lane: { ...lane, dueAt: next }, delivery: following } : undefined;
  });

/** Writes down that an attempt has failed, and when the next one is due. */
export const postpone = (
  db: Db,
  { lane, delivery: { id } }: Held,
  outcome: string,
  next: Date,
): Promise<void> =>
  db.transaction(async (transaction) => {
    if ((await moveLane(transaction, { ...lane, next })).length === 0) return;
    await markFailed(transaction, { id, lastOutcome: outcome, now: new Date() });
  });

interface Opening extends Pick<WebhookLane, 'endpoint' | 'lane'> {
  readonly now: Date;
  /** What is due by then may be in the hands of a node. */
  readonly lease: Date;
}

const openLane = prepareQuery(WebhookLane, (db, { endpoint, lane, now, lease }: Opening) =>
  db
    .insertInto('webhook_lane')
    .values({ endpoint_id: endpoint, lane, due_at: now })
    .onConflict((conflict) =>
      conflict.columns(['endpoint_id', 'lane']).doUpdateSet({
        due_at: sql`case when webhook_lane.due_at > ${lease} then excluded.due_at else webhook_lane.due_at end`,
      }),
    ),
);

const markWaiting = prepareQuery(
  WebhookDelivery,
  (db, { id, keptUntil }: Pick<WebhookDelivery, 'id' | 'keptUntil'>) =>
    db
      .updateTable('webhook_delivery')
      .set({ state: 'waiting', kept_until: keptUntil })
      .where('id', '=', id)
      .returning('id'),
);

/**
 * Lets a delivery wait, whatever became of it, and be sent soon: it is tried for three days from now on. What comes
 * later in its lane waits for it.
 * @param db a transaction
 * @returns whether it is still there
 */
export async function sendAgain(
  db: Db,
  { id, endpoint, lane }: Pick<WebhookDelivery, 'id' | 'endpoint' | 'lane'>,
): Promise<boolean> {
  const now = new Date();
  // The lane first, as whoever sends it does.
  await openLane(db, { endpoint, lane, now, lease: endOfLease(now) });
  const keptUntil = new Date(now.getTime() + patience);
  return (await markWaiting(db, { id, keptUntil })).length > 0;
}

interface Over {
  readonly now: Date;
  readonly keptUntil: Date;
}

const parkOverdue = prepareQuery(WebhookDelivery, (db, { now, keptUntil }: Over) =>
  db
    .updateTable('webhook_delivery')
    .set({ state: 'parked', kept_until: keptUntil })
    .where('id', 'in', (deliveries) =>
      deliveries
        .selectFrom('webhook_delivery')
        .select('id')
        .where('state', '=', waiting)
        .where('kept_until', '<=', now)
        .orderBy('kept_until')
        .limit(batchSize),
    )
    .returning('id'),
);

const deleteOld = prepareQuery(WebhookDelivery, (db, { now }: Pick<Over, 'now'>) =>
  db
    .deleteFrom('webhook_delivery')
    .where('id', 'in', (deliveries) =>
      deliveries
        .selectFrom('webhook_delivery')
        .select('id')
        .where('state', 'in', ['delivered', 'parked'])
        .where('kept_until', '<=', now)
        .limit(batchSize),
    )
    .returning('id'),
);

/**
 * Parks the deliveries that were tried for three days, and deletes those that were kept long enough, some at a time.
 * @param signal ends it before all is done
 * @returns how many were parked
 */
export async function tidy(db: Db, now = new Date(), signal?: AbortSignal): Promise<number> {
  const keptUntil = new Date(now.getTime() + keptWhenParked);
  let parked = 0;
  for (;;) {
    const some = (await parkOverdue(db, { now, keptUntil })).length;
    const deleted = (await deleteOld(db, { now })).length;
    parked += some;
    if ((some < batchSize && deleted < batchSize) || signal?.aborted) return parked;
    // Requests go between.
    await new Promise(setImmediate);
  }
}

/** More than these are not counted. */
const mostCounted = 10_000;

const countWaiting = prepareQuery(WebhookDelivery, (db, _: object) =>
  db
    .selectFrom((deliveries) =>
      deliveries
        .selectFrom('webhook_delivery')
        .select('created_at')
        .where('state', '=', waiting)
        .orderBy('kept_until')
        .limit(mostCounted)
        .as('waiting'),
    )
    .select(({ fn }) => [fn.countAll<number | string>().as('count'), fn.min('created_at').as('created_at')]),
);

/** How many deliveries wait, at most 10,000, and since when the oldest does; undefined where none does. */
export async function waitingDeliveries(
  db: Db,
): Promise<{ readonly count: number; readonly since: Date | undefined }> {
  const [found] = await countWaiting(db, {});
  return { count: Number(found?.count ?? 0), since: found?.createdAt ?? undefined };
}
