// How an event comes from the change to the endpoints.
//
// Each change writes an audit event in its own transaction. While there is an endpoint, a trigger adds a row of
// `webhook_event` to that: an outbox. So nothing is told that did not happen, nothing that happened is left out, whoever
// makes the change, and no change takes a statement more. A cursor over the ids of audit events would miss some:
// PostgreSQL gives ids before the commit, in order for each account alone. From the outbox, rows are taken away instead.
//
// One node at a time takes rows out of it and makes a delivery of each for every endpoint that wants it, in one
// transaction. Of two changes of one key, the second waits for the row of the key until the first has committed, and so
// comes later in the outbox, and is there later: what is taken is always the beginning of what happened to a key.
//
// Deliveries about one key form a lane at each endpoint. A lane is sent by one node at a time, one delivery after the
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

/** How many events are handed out in one transaction: on SQLite others wait for all of it. */
const batchSize = 50;

const day = 24 * 60 * 60_000;

/** For how long a delivery is tried, in milliseconds. */
export const patience = 3 * day;

// An UPDATE that changes nothing locks its row on both databases.
const touchClock = prepareQuery(WebhookClock, (db, _: object) =>
  db
    .updateTable('webhook_clock')
    .set((column) => ({ id: column.ref('id') }))
    .returning('expiries_told_until'),
);

/**
 * Makes all others wait who would hand out events, until this transaction ends.
 * @returns up to when it was told what expires
 */
export async function lockClock(db: Db): Promise<Date | undefined> {
  const [clock] = await touchClock(db, {});
  return clock?.expiriesToldUntil;
}

/** Asked without a lock, so often that it must cost next to nothing. */
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

/** What a batch of events is about. */
async function selectSubjects(db: Db, events: readonly WebhookEvent[]) {
  const ofEvents = db.kysely
    .selectFrom('account')
    .selectAll()
    .where('id', 'in', [...new Set(events.map(({ account }) => account))]);
  // Nobody erases an account while its deliveries are made: they would stay. SQLite has one transaction at a time.
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

/** What is about the same is told in its order. */
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
    // It was erased between: what happened before is nobody's any more.
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

/** Puts lanes into the line, each once; one that is there stays where it is, and is locked. */
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
 * Makes deliveries of events that wait in the outbox.
 * @returns whether there may be more
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

/** How long before an API key expires its endpoints are told, in milliseconds; 0: that it has expired. */
const notices = [14 * day, 3 * day, 0];

/** A key that is being made while the time is read would be passed over: it is there by then. */
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
 * Notes which active API keys are about to expire or have expired since this was last done by any node. A key is told of
 * once each time, unless its end is moved.
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
