// How an event gets from a change to the endpoints.
//
// Each change writes an audit event in its own transaction. While an endpoint exists, a trigger adds a row of
// `webhook_event`: an outbox. So the service announces nothing that did not happen, omits nothing that happened,
// whoever makes the change, and no change needs another statement. A cursor over the ids of audit events would miss
// some: PostgreSQL assigns ids before the commit, and their order only holds within an account. Instead, the rows of
// the outbox are removed.
//
// One node at a time removes rows from the outbox. For each row, it makes a delivery for every endpoint that wants
// the event, all in one transaction. Of two changes of one key, the second waits for the row of the key until the
// first has committed. So its event comes later in the outbox and becomes visible later: the removed rows are always
// the earliest events of a key.
//
// The deliveries about one key form a lane at each endpoint. One node at a time sends a lane, one delivery after the
// other, and no lane waits for another: see lanes.ts.

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { standsFor } from '../config/webhook-events.ts';
import { type Db, isForPostgres, prepareQuery, runQuery } from '../database/db.ts';
import {
  Account,
  ApiKey,
  WebhookClock,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhookLane,
} from '../database/tables.ts';
import { kindOf, messageOf } from './payload.ts';

/** The most events that one transaction hands out: on SQLite, all other writers wait for it. */
const batchSize = 50;

const day = 24 * 60 * 60_000;

/** The time for which a delivery is tried, in milliseconds. */
export const patience = 3 * day;

// An UPDATE that changes nothing locks its row on both databases.
const touchClock = prepareQuery(WebhookClock, (db, _: object) =>
  db
    .updateTable('webhook_clock')
    .set((column) => ({ id: column.ref('id') }))
    .returning('expiries_told_until'),
);

/**
 * Locks the clock: other nodes that want to hand out events wait until this transaction ends.
 * @returns the time up to which expiries have been announced
 */
export async function lockClock(db: Db): Promise<Date | undefined> {
  const [clock] = await touchClock(db, {});
  return clock?.expiriesToldUntil;
}

/** Runs often and without a lock, so it must be very cheap. */
const selectAny = prepareQuery(WebhookEvent, (db, _: object) =>
  db.selectFrom('webhook_event').select('id').limit(1),
);

const selectEvents = prepareQuery(WebhookEvent, (db, _: object) =>
  db.selectFrom('webhook_event').selectAll().orderBy('id').limit(batchSize),
);

const selectEndpoints = prepareQuery(WebhookEndpoint, (db, _: object) =>
  db.selectFrom('webhook_endpoint').select(['id', 'events']).where('removed_at', 'is', null).orderBy('id'),
);

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]) =>
  new Map<number, Row>(rows.map((row) => [row.id, row]));

/** Reads the subjects of a batch of events. */
async function selectSubjects(db: Db, events: readonly WebhookEvent[]) {
  const ofEvents = db.kysely
    .selectFrom('account')
    .selectAll()
    .where('id', 'in', [...new Set(events.map(({ account }) => account))]);
  // Prevents the erasure of an account while its deliveries are made, because they would stay. SQLite has one
  // transaction at a time.
  const accounts = await runQuery(db, Account, isForPostgres(db.kysely) ? ofEvents.forKeyShare() : ofEvents);
  const targets = events.flatMap(({ target }) => target ?? []);
  const keys =
    targets.length === 0
      ? []
      : await runQuery(
          db,
          ApiKey,
          db.kysely
            .selectFrom('api_key')
            .select(['id', 'key_prefix', 'name', 'expires_at'])
            .where('id', 'in', [...new Set(targets)]),
        );
  return { accounts: byId(accounts), keys: byId(keys) };
}

/** The lane of an event: events about the same subject stay in order. */
const laneOf = ({ account, target }: WebhookEvent): string =>
  typeof target !== 'number' ? `account:${account}` : `api-key:${target}`;

async function createDeliveries(db: Db, events: readonly WebhookEvent[], now: Date) {
  const endpoints = (await selectEndpoints(db, {})).map(({ id, events }) => ({
    id,
    patterns: JSON.parse(events) as string[],
  }));
  const { accounts, keys } = await selectSubjects(db, events);
  return events.flatMap((event) => {
    const { type } = kindOf(event.action) ?? {};
    const account = accounts.get(event.account);
    if (type === undefined || !account) return [];
    // The account was erased meanwhile, so its earlier events belong to nobody.
    if (account.erasedAt && event.action !== 'account-erased') return [];
    const wanting = endpoints.filter(({ patterns }) => patterns.some((each) => standsFor(each, type)));
    const message = `msg_${randomUUID()}`;
    const payload = JSON.stringify(messageOf(event, { account, apiKey: keys.get(event.target ?? 0) }));
    return wanting.map(({ id }) => ({
      endpoint_id: id,
      account_id: event.account,
      lane: laneOf(event),
      message,
      type,
      payload,
      state: 'waiting',
      attempts: 0,
      created_at: now,
      kept_until: new Date(now.getTime() + patience),
    }));
  });
}

/** Opens lanes, each once. An existing lane keeps its place, and is locked. */
async function openLanes(
  db: Db,
  deliveries: readonly { readonly endpoint_id: number; readonly lane: string }[],
  now: Date,
): Promise<void> {
  const lanes = new Map(
    deliveries.map(({ endpoint_id, lane }) => [`${endpoint_id} ${lane}`, { endpoint_id, lane, due_at: now }]),
  );
  const insert = db.kysely
    .insertInto('webhook_lane')
    .values([...lanes.values()])
    .onConflict((conflict) =>
      conflict.columns(['endpoint_id', 'lane']).doUpdateSet({ lane: sql`excluded.lane` }),
    );
  await runQuery(db, WebhookLane, insert);
}

/**
 * Makes deliveries from events in the outbox.
 * @returns whether more events may wait
 */
export async function handOut(db: Db, now = new Date()): Promise<boolean> {
  if ((await selectAny(db, {})).length === 0) return false;
  return db.transaction(async (transaction) => {
    await lockClock(transaction);
    const events = (await selectEvents(transaction, {})) as WebhookEvent[];
    if (events.length === 0) return false;
    const deliveries = await createDeliveries(transaction, events, now);
    if (deliveries.length > 0) {
      await runQuery(
        transaction,
        WebhookDelivery,
        transaction.kysely.insertInto('webhook_delivery').values(deliveries),
      );
      await openLanes(transaction, deliveries, now);
    }
    const ids = events.map(({ id }) => id);
    await runQuery(
      transaction,
      WebhookEvent,
      transaction.kysely.deleteFrom('webhook_event').where('id', 'in', ids),
    );
    return events.length === batchSize;
  });
}

/**
 * The times before the expiry of an API key at which the service announces it, in milliseconds; 0: the expiry itself.
 */
const notices = [14 * day, 3 * day, 0];

/**
 * The delay before expiries are announced, in milliseconds. Without it, a key whose creation is not committed yet
 * would be missed.
 */
const lag = 30_000;

interface Expiring {
  readonly action: string;
  readonly after: Date;
  readonly until: Date;
  readonly now: Date;
}

const noteExpiring = prepareQuery(WebhookEvent, (db, { action, after, until, now }: Expiring) =>
  db
    .insertInto('webhook_event')
    .columns(['account_id', 'actor', 'action', 'target', 'created_at'])
    .expression(
      db
        .selectFrom('api_key')
        .where('is_active', '=', sql.lit(true))
        .where('expires_at', '>', after)
        .where('expires_at', '<=', until)
        .orderBy('expires_at')
        .select(({ val }) => [
          'account_id',
          val('time').as('actor'),
          val(action).as('action'),
          'id',
          val(now).as('created_at'),
        ]),
    ),
);

const setClock = prepareQuery(WebhookClock, (db, { until }: { until: Date }) =>
  db.updateTable('webhook_clock').set({ expiries_told_until: until }),
);

/**
 * Adds an event for each active API key that is about to expire or has expired since the last call on any node. Each
 * notice of a key occurs once, unless somebody changes its expiry.
 */
export const noteExpiries = (db: Db, now = new Date()): Promise<void> =>
  db.transaction(async (transaction) => {
    const told = await lockClock(transaction);
    const until = new Date(now.getTime() - lag);
    if (!told || told >= until) return;
    for (const notice of notices) {
      await noteExpiring(transaction, {
        action: notice === 0 ? 'api-key-expired' : 'api-key-expiring',
        after: new Date(told.getTime() + notice),
        until: new Date(until.getTime() + notice),
        now,
      });
    }
    await setClock(transaction, { until });
  });
