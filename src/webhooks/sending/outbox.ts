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
// the earliest events of a key. Accounts take turns, so that one with many events keeps no other waiting.
//
// The deliveries about one key form a lane at each endpoint, and are sent one after the other: see stored-deliveries.ts.
// A new delivery waits for the last one that waits in its lane. The transaction locks that one, so that whoever settles
// it afterwards finds the new one.

import { randomUUID } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import { standsFor, webhookEvents } from '../../config/values/webhook-events.ts';
import { forKeyShare, forUpdate, isListed, listOf } from '../../database/conditions.ts';
import { type Db, prepareQuery, runQuery } from '../../database/db.ts';
import {
  Account,
  type AccountId,
  ApiKey,
  type Tables,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
} from '../../database/tables.ts';
import { lockClock } from './expiries.ts';
import { isUrgent, type Line, patience } from './line.ts';
import { mergedType, mergeMessages } from './merge.ts';
import { messageOf } from './payload.ts';
import { isWaiting } from './stored-deliveries.ts';

/**
 * The most events that one transaction hands out, and the most accounts that share them: on SQLite, all other writers
 * wait for it.
 */
const batchSize = 50;
const mostAccounts = 10;

/** Runs often and without a lock, so it must be very cheap. */
const selectAny = prepareQuery(WebhookEvent, (db, _: object) =>
  db.selectFrom('webhook_event').select('id').limit(1),
);

// Goes from account to account along the index: an account with a million events is one step.
const selectAccounts = prepareQuery(WebhookEvent, (db, { after }: { readonly after: number }) =>
  db
    .withRecursive('accounts(id)', (with_) =>
      with_
        .selectFrom('webhook_event')
        .where('account_id', '>', after as AccountId)
        .select(({ fn }) => fn.min('account_id').as('id'))
        .unionAll((eb) =>
          eb
            .selectFrom('accounts')
            .where('accounts.id', 'is not', null)
            .select(({ selectFrom }) =>
              selectFrom('webhook_event')
                .whereRef('account_id', '>', 'accounts.id')
                .select(({ fn }) => fn.min('account_id').as('next'))
                .$asScalar()
                .as('id'),
            ),
        ),
    )
    .selectFrom('accounts')
    .where('accounts.id', 'is not', null)
    .select(sql<AccountId>`accounts.id`.as('account'))
    .limit(sql.lit(mostAccounts)),
);

interface OfAccount {
  readonly account: AccountId;
  readonly most: number;
}

const selectEvents = prepareQuery(WebhookEvent, (db, { account, most }: OfAccount) =>
  db.selectFrom('webhook_event').selectAll().where('account_id', '=', account).orderBy('id').limit(most),
);

/** Reads the earliest events of some accounts. The accounts take turns, so that nobody waits for what another one has. */
async function nextEvents(db: Db, line: Line): Promise<WebhookEvent[]> {
  const after = await selectAccounts(db, { after: line.lastServed });
  // After the last account, it is the first one's turn again.
  const first = after.length < mostAccounts ? await selectAccounts(db, { after: 0 }) : [];
  const accounts = [...new Set([...after, ...first].map(({ account }) => account))].slice(0, mostAccounts);
  line.lastServed = accounts.at(-1) ?? 0;
  const most = Math.floor(batchSize / accounts.length);
  const events: WebhookEvent[] = [];
  for (const account of accounts)
    events.push(...((await selectEvents(db, { account, most })) as WebhookEvent[]));
  return events;
}

const selectEndpoints = prepareQuery(WebhookEndpoint, (db, _: object) =>
  db.selectFrom('webhook_endpoint').select(['id', 'events']).where('removed_at', 'is', null).orderBy('id'),
);

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]) =>
  new Map<number, Row>(rows.map((row) => [row.id, row]));

/** The ids of rows, as a JSON array. */
interface Ids {
  readonly ids: string;
}

// Prevents the erasure of an account while its deliveries are made, because they would stay.
const lockAccounts = prepareQuery(Account, (db, { ids }: Ids) =>
  forKeyShare(
    db,
    db
      .selectFrom('account')
      .selectAll()
      .where(isListed(db, 'id', ids)),
  ),
);

const selectKeys = prepareQuery(ApiKey, (db, { ids }: Ids) =>
  db
    .selectFrom('api_key')
    .select(['id', 'key_prefix', 'name', 'expires_at'])
    .where(isListed(db, 'id', ids)),
);

/** Reads the subjects of a batch of events. */
async function selectSubjects(db: Db, events: readonly WebhookEvent[]) {
  const accounts = await lockAccounts(db, { ids: JSON.stringify(events.map(({ account }) => account)) });
  const targets = events.flatMap(({ target }) => target ?? []);
  const keys = await selectKeys(db, { ids: JSON.stringify(targets) });
  return { accounts: byId(accounts), keys: byId(keys) };
}

/** The lane of an event: events about the same subject stay in order. */
const laneOf = ({ account, target }: WebhookEvent): string =>
  typeof target !== 'number' ? `account:${account}` : `api-key:${target}`;

/** Makes the deliveries of events: one for each endpoint that wants the event. */
async function createDeliveries(db: Db, events: readonly WebhookEvent[]) {
  const endpoints = (await selectEndpoints(db, {})).map(({ id, events }) => ({
    id,
    patterns: JSON.parse(events) as string[],
  }));
  const { accounts, keys } = await selectSubjects(db, events);
  return events.flatMap((event) => {
    const type = webhookEvents[event.action]?.type;
    const account = accounts.get(event.account);
    if (type === undefined || !account) return [];
    // The account was erased meanwhile, so its earlier events belong to nobody.
    if (account.erasedAt && event.action !== 'account-erased') return [];
    const wanting = endpoints.filter(({ patterns }) => patterns.some((each) => standsFor(each, type)));
    const apiKey = keys.get(event.target ?? 0);
    const delivery = {
      account_id: event.account as AccountId,
      lane: laneOf(event),
      message: `msg_${randomUUID()}`,
      type,
      payload: JSON.stringify(messageOf(event, type, { account, apiKey })),
    };
    return wanting.map(({ id }) => ({ endpoint_id: id, ...delivery }));
  });
}

/** A delivery that is not stored yet. */
type NewDelivery = Awaited<ReturnType<typeof createDeliveries>>[number];

/** The last waiting delivery of a lane: a stored one with its id, or a new one. */
interface Last extends Pick<WebhookDelivery, 'type' | 'attempts'> {
  readonly id?: number;
  payload: string;
}

const keyOf = (endpoint: number, lane: string): string => `${endpoint} ${lane}`;

/** For each lane and endpoint, the last waiting delivery. A lane may be long: an index finds its end. */
const selectLast = prepareQuery(WebhookDelivery, (db, { lanes }: { readonly lanes: string }) =>
  db
    .selectFrom(['webhook_endpoint', listOf(db, lanes).as('listed')])
    .where('removed_at', 'is', null)
    .select(({ selectFrom }) =>
      selectFrom('webhook_delivery')
        .whereRef('endpoint_id', '=', 'webhook_endpoint.id')
        .whereRef('lane', '=', 'listed.value')
        // A literal: with a parameter, SQLite could not see that the index of waiting deliveries has all of them.
        .where('state', '=', sql.lit('waiting'))
        .select((delivery) => delivery.fn.max('webhook_delivery.id').as('id'))
        .as('id'),
    ),
);

/** Reads and locks the last waiting delivery of each lane. */
async function lockLast(db: Db, deliveries: readonly NewDelivery[]): Promise<Map<string, Last>> {
  const lanes = JSON.stringify([...new Set(deliveries.map(({ lane }) => lane))]);
  const ids = (await selectLast(db, { lanes })).flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return new Map();
  const last = db.kysely
    .selectFrom('webhook_delivery')
    .select(['id', 'endpoint_id', 'lane', 'type', 'attempts', 'payload'])
    .where('id', 'in', ids)
    // Another node may have settled it while this one waited for the lock.
    .where(isWaiting)
    .orderBy('id');
  const rows = await runQuery(db, WebhookDelivery, forUpdate(db.kysely, last));
  return new Map(rows.map(({ endpoint, lane, ...row }) => [keyOf(endpoint, lane), row]));
}

const replacePayload = prepareQuery(
  WebhookDelivery,
  (db, { id, payload, keptUntil }: Pick<WebhookDelivery, 'id' | 'payload' | 'keptUntil'>) =>
    db.updateTable('webhook_delivery').set({ payload, kept_until: keptUntil }).where('id', '=', id),
);

/** The place in line that the first delivery of a lane gets. */
type Pull = Pick<WebhookDelivery, 'endpoint' | 'lane'> & { readonly dueAt: Date };

const pullUp = prepareQuery(WebhookDelivery, (db, { endpoint, lane, dueAt }: Pull) =>
  db
    .updateTable('webhook_delivery')
    .set({ due_at: dueAt })
    .where(({ and }) => and({ endpoint_id: endpoint, lane, state: sql.lit('waiting'), attempts: sql.lit(0) }))
    .where('due_at', '>', dueAt),
);

/** The message of a delivery together with an update that was never attempted; undefined if they are not one. */
const mergedPayload = (last: Last, { type, payload }: NewDelivery): string | undefined =>
  last.type === mergedType && type === mergedType && last.attempts === 0
    ? mergeMessages(last.payload, payload)
    : undefined;

/**
 * Merges deliveries into those that wait, and gives places in line to those that wait for nothing.
 * @param lasts the last delivery of each lane, which is kept up to date; merging changes it
 * @returns the rows to add; the deliveries with another message; and the urgent deliveries that wait for others of
 *   their lanes: those come forward with them
 */
function plan(line: Line, lasts: Map<string, Last>, deliveries: readonly NewDelivery[]) {
  const now = line.now();
  const waiting = { attempts: 0, created_at: now, kept_until: new Date(now.getTime() + patience) };
  const rows: Insertable<Tables['webhook_delivery']>[] = [];
  const merged = new Set<Last>();
  const pulls: Pull[] = [];
  for (const delivery of deliveries) {
    const { endpoint_id: endpoint, account_id: account, lane, type } = delivery;
    // Nothing else of an erased account is sent, so this waits for nothing.
    const before = type === 'account.erased' ? undefined : lasts.get(keyOf(endpoint, lane));
    const payload = before && mergedPayload(before, delivery);
    if (before && payload !== undefined) {
      merged.add(Object.assign(before, { payload }));
      continue;
    }
    const place = () => line.place(account, isUrgent(type));
    if (before && isUrgent(type)) pulls.push({ endpoint, lane, dueAt: place() });
    const row = { ...delivery, ...waiting, state: 'waiting', due_at: before ? null : place() };
    lasts.set(keyOf(endpoint, lane), row);
    rows.push(row);
  }
  return { rows, merged, pulls };
}

/** Stores deliveries, or merges them into those that wait. */
async function addDeliveries(
  db: Db,
  line: Line,
  deliveries: readonly NewDelivery[],
): Promise<readonly Pull[]> {
  if (deliveries.length === 0) return [];
  const { rows, merged, pulls } = plan(line, await lockLast(db, deliveries), deliveries);
  const keptUntil = new Date(line.now().getTime() + patience);
  for (const { id, payload } of merged)
    if (id !== undefined) await replacePayload(db, { id, payload, keptUntil });
  if (rows.length > 0)
    await runQuery(db, WebhookDelivery, db.kysely.insertInto('webhook_delivery').values(rows));
  return pulls;
}

/** Takes a batch of events out of the outbox, and adds their deliveries; undefined if no event waits. */
async function handOutSome(db: Db, line: Line): Promise<readonly Pull[] | undefined> {
  await lockClock(db);
  const events = await nextEvents(db, line);
  if (events.length === 0) return undefined;
  const deliveries = await createDeliveries(db, events);
  const pulls = await addDeliveries(db, line, deliveries);
  const ids = events.map(({ id }) => id);
  await runQuery(db, WebhookEvent, db.kysely.deleteFrom('webhook_event').where('id', 'in', ids));
  return pulls;
}

/**
 * Makes deliveries from a batch of events in the outbox.
 * @returns whether more events may wait
 */
export async function handOut(db: Db, line: Line): Promise<boolean> {
  if ((await selectAny(db, {})).length === 0) return false;
  const pulls = await db.transaction((transaction) => handOutSome(transaction, line));
  // Beside the transaction: a node that settles one of these may wait for a delivery that the transaction has locked.
  for (const pull of pulls ?? []) await pullUp(db, pull);
  return pulls !== undefined;
}
