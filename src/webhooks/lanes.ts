import { type Kysely, sql } from 'kysely';
import { type Db, isForPostgres, prepareQuery } from '../database/db.ts';
import { type Tables, WebhookDelivery, WebhookLane } from '../database/tables.ts';
import { patience } from './outbox.ts';

/**
 * The time for which a lane belongs to one node, in milliseconds; longer than any attempt. Afterwards, other nodes
 * may take the lane.
 */
const lease = 30_000;

const endOfLease = (now: Date): Date => new Date(now.getTime() + lease);

/**
 * The time for which a delivery is stored after it has reached its endpoint, and after it was given up, in
 * milliseconds.
 */
const keptWhenDelivered = 3 * 24 * 60 * 60_000;
const keptWhenParked = 30 * 24 * 60 * 60_000;

/** The most deliveries that one statement parks or deletes: on SQLite, all other writers wait for the statement. */
const batchSize = 200;

const dueLanes = (db: Kysely<Tables>, { endpoint, now, most }: Turn) => {
  const due = db
    .selectFrom('webhook_lane')
    .select('id')
    .where('endpoint_id', '=', endpoint)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(most);
  // SQLite has only one node, and one transaction at a time.
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
 * Takes the due lanes of an endpoint that have waited longest. No other node has these lanes until they are given
 * back, or for half a minute.
 * @param most the most lanes
 */
export const takeLanes = (db: Db, endpoint: number, most: number): Promise<WebhookLane[]> => {
  const now = new Date();
  return leaseLanes(db, { endpoint, now, until: endOfLease(now), most }) as Promise<WebhookLane[]>;
};

// A literal: with a parameter, SQLite could not see that the index of waiting deliveries has all of them.
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

/** Reads the first waiting delivery of a lane; undefined if none waits. */
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

/**
 * Gives back a lane, if this node still has it.
 * @param next the time when the next delivery of the lane is due
 */
export async function giveBack(db: Db, lane: WebhookLane, next = new Date()): Promise<void> {
  await moveLane(db, { ...lane, next });
}

/** Closes a lane without waiting deliveries, if this node still has it. */
export const closeLane = (db: Db, lane: WebhookLane): Promise<void> =>
  db.transaction(async (transaction) => {
    // This locks the lane: a later delivery opens the lane anew, and the query below finds an earlier one.
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

/** A lane of this node, and its next delivery. */
export interface Held {
  readonly lane: WebhookLane;
  readonly delivery: WebhookDelivery;
}

/**
 * Records that a delivery has reached its endpoint.
 * @param keeps whether this node continues with the lane; otherwise the lane that has waited longest comes next
 * @returns the next delivery of the lane, if this node continues with it
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
    // Whichever node has the lane now, the delivery is not sent again.
    await markDelivered(transaction, { id: delivery.id, lastOutcome: outcome, now, keptUntil });
    if (!isOurs) return undefined;
    const following = await firstOf(transaction, lane);
    if (!following) await deleteLane(transaction, lane);
    return following && keeps ? { lane: { ...lane, dueAt: next }, delivery: following } : undefined;
  });

/** Records a failed attempt, and the time of the next one. */
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
  /** A lane that is due before this time may belong to a node. */
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
 * Queues a delivery again, whatever its state, and sends it soon. The attempts continue for three days from now on,
 * and the later deliveries of its lane wait for it.
 * @param db a transaction
 * @returns whether the delivery still exists
 */
export async function sendAgain(
  db: Db,
  { id, endpoint, lane }: Pick<WebhookDelivery, 'id' | 'endpoint' | 'lane'>,
): Promise<boolean> {
  const now = new Date();
  // Locks the lane first, in the same order as a node that sends.
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
 * Parks the deliveries that have been tried for three days, and deletes those whose time is over, in batches.
 * @param signal stops before everything is done
 * @returns the number of parked deliveries
 */
export async function tidy(db: Db, now = new Date(), signal?: AbortSignal): Promise<number> {
  const keptUntil = new Date(now.getTime() + keptWhenParked);
  let parked = 0;
  for (;;) {
    const some = (await parkOverdue(db, { now, keptUntil })).length;
    const deleted = (await deleteOld(db, { now })).length;
    parked += some;
    if ((some < batchSize && deleted < batchSize) || signal?.aborted) return parked;
    // Other requests run between two batches.
    await new Promise(setImmediate);
  }
}

/** The greatest number that a count returns. */
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

/** Counts the waiting deliveries, up to 10,000, and finds the time of the oldest; undefined if none waits. */
export async function waitingDeliveries(
  db: Db,
): Promise<{ readonly count: number; readonly since: Date | undefined }> {
  const [found] = await countWaiting(db, {});
  return { count: Number(found?.count ?? 0), since: found?.createdAt ?? undefined };
}
