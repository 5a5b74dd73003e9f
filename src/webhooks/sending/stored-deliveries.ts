// The deliveries that wait for an endpoint, and who sends them.
//
// The deliveries about one subject form a lane at each endpoint. Only the first waiting delivery of a lane may be
// sent; it alone has a `dueAt`. When it leaves the lane, the next one gets its place in line. So a delivery waits for
// the one before it about the same key, and for no other.
//
// A delivery that was never attempted goes by its place in line: the earliest `dueAt` comes first, even if the time
// has not come. After an attempt it stands beside the line, and is due at `dueAt`. A node takes a delivery by
// counting the attempt and setting `dueAt` to the end of a lease, so that another node attempts it if this one is
// killed.

import { sql } from 'kysely';
import { urgentWebhookTypes } from '../../config/values/webhook-events.ts';
import { isListed } from '../../database/conditions.ts';
import { type Db, prepareQuery } from '../../database/db.ts';
import { type AccountId, WebhookDelivery } from '../../database/tables.ts';
import { lockClock } from './expiries.ts';
import { type Line, patience } from './line.ts';
import type { Source } from './receiver.ts';

/**
 * The time for which a delivery belongs to one node, in milliseconds; longer than any attempt. Afterwards, other
 * nodes may take the delivery.
 */
export const lease = 30_000;

/** The most deliveries that one statement parks or deletes: on SQLite, all other writers wait for the statement. */
const batchSize = 200;

// A literal: with a parameter, SQLite could not see that the index of waiting deliveries has all of them.
const waiting = sql.lit('waiting');
const never = sql.lit(0);

/**
 * Whether a delivery waits, for a statement that names its rows by their ids: written so, SQLite does not go through
 * the index of all waiting deliveries to find them.
 */
export const isWaiting = sql<boolean>`case state when 'waiting' then true else false end`;

/**
 * Whether a delivery may be on its way: a node took it, and its lease has not ended.
 * @param times now, and the end of a lease that begins now
 */
const isOnItsWay = ({ now, leased }: Pick<Over, 'now' | 'leased'>) =>
  sql<boolean>`(attempts > ${never} and due_at > ${now} and due_at <= ${leased})`;

/** A look for deliveries to send. */
interface Wanted {
  readonly endpoint: number;
  /** The accounts whose deliveries are left out, as a JSON array of ids. */
  readonly without: string;
  /** The latest `dueAt`. */
  readonly upTo: Date;
  readonly most: number;
}

/** Of an erased account, receivers learn nothing but that it was erased. The rest is removed in the background. */
export const isTold = sql<boolean>`(type = 'account.erased' or (select erased_at from account where account.id = account_id) is null)`;

/** Selects deliveries that wait for no other: those that were never attempted, or those that were. */
const prepareSelect = (attempts: '=' | '>') =>
  prepareQuery(WebhookDelivery, (db, { endpoint, without, upTo, most }: Wanted) =>
    db
      .selectFrom('webhook_delivery')
      .select(['webhook_delivery.id', 'account_id', 'due_at'])
      .where('endpoint_id', '=', endpoint)
      .where('state', '=', waiting)
      .where('attempts', attempts, never)
      .where('due_at', 'is not', null)
      .where('due_at', '<=', upTo)
      .where(isTold)
      .where(({ not }) => not(isListed(db, 'account_id', without)))
      .orderBy('due_at')
      .limit(most),
  );

const select = { line: prepareSelect('='), again: prepareSelect('>') };

interface Claim {
  /** The deliveries' ids, as a JSON array. */
  readonly ids: string;
  readonly now: Date;
  readonly until: Date;
}

const claim = prepareQuery(WebhookDelivery, (db, { ids, now, until }: Claim) =>
  db
    .updateTable('webhook_delivery')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), due_at: until }))
    .where(isListed(db, 'id', ids))
    .where(isWaiting)
    // An operator may have paused or removed the endpoint since this node read it.
    .where('endpoint_id', 'in', ({ selectFrom }) =>
      selectFrom('webhook_endpoint')
        .select('id')
        .where('paused_at', 'is', null)
        .where('removed_at', 'is', null),
    )
    // Another node may have taken it since it was selected.
    .where(({ or, eb }) =>
      or([eb('attempts', '=', never).and('due_at', 'is not', null), eb('due_at', '<=', now)]),
    )
    .returningAll(),
);

/** A delivery that may be sent now. */
export type Candidate = Pick<WebhookDelivery, 'id' | 'account' | 'dueAt'>;

/** The farthest place in line, in milliseconds from now, that is looked at while accounts are left out. */
const horizon = 60_000;

/** A time after all places in line: a hundred years from now. */
const endOfLine = 100 * 365 * 24 * 60 * 60_000;

/**
 * Finds deliveries that may be sent: from the line, or from those beside it that are due again.
 * @param without the accounts whose deliveries are left out. Their deliveries are passed over one by one, so the look
 *   goes no farther than a minute ahead: however many deliveries an account has, few of them lie there.
 */
export function findDeliveries(
  db: Db,
  from: Source,
  {
    now,
    without,
    ...wanted
  }: Omit<Wanted, 'without' | 'upTo'> & { readonly now: Date; readonly without: readonly number[] },
): Promise<Candidate[]> {
  const ahead = without.length > 0 ? horizon : endOfLine;
  const upTo = from === 'line' ? new Date(now.getTime() + ahead) : now;
  return select[from](db, { ...wanted, without: JSON.stringify(without), upTo }) as Promise<Candidate[]>;
}

/** A delivery that this node has taken. */
export type TakenDelivery = WebhookDelivery & {
  /** The end of the lease. */
  readonly dueAt: Date;
};

/**
 * Takes deliveries for an attempt. No other node has them until they are settled, postponed or given back, or for
 * half a minute.
 * @returns those that no other node has taken since they were found, if their endpoint is not paused
 */
export async function takeDeliveries(
  db: Db,
  found: readonly Candidate[],
  now: Date,
): Promise<TakenDelivery[]> {
  if (found.length === 0) return [];
  const ids = JSON.stringify(found.map(({ id }) => id));
  const until = new Date(now.getTime() + lease);
  return (await claim(db, { ids, now, until })) as TakenDelivery[];
}

type Place = Pick<WebhookDelivery, 'endpoint' | 'lane'>;

/** The most deliveries of a lane among which an urgent one is looked for. */
const mostLookedAt = 50;

/** The next delivery of a lane, and whether it or one of those behind it is urgent. */
const selectNext = prepareQuery(WebhookDelivery, (db, { endpoint, lane }: Place) => {
  const lanes = db
    .selectFrom('webhook_delivery')
    .where(({ and }) => and({ endpoint_id: endpoint, lane, state: waiting }))
    .orderBy('id');
  const few = lanes.select('type').limit(sql.lit(mostLookedAt)).as('few');
  return lanes
    .select(['id', 'account_id', 'due_at'])
    .select(({ exists, selectFrom }) =>
      exists(selectFrom(few).select('few.type').where('few.type', 'in', urgentWebhookTypes)).as('urgent'),
    )
    .limit(1);
});

const putInLine = prepareQuery(
  WebhookDelivery,
  (db, { id, dueAt }: { readonly id: number; readonly dueAt: Date }) =>
    db.updateTable('webhook_delivery').set({ due_at: dueAt }).where('id', '=', id),
);

/**
 * Gives the first waiting delivery of a lane its place in line, unless it has one. What an urgent delivery waits for is
 * urgent as well.
 */
async function moveUp(db: Db, line: Line, place: Place): Promise<void> {
  const [next] = await selectNext(db, place);
  if (!next || next.dueAt !== null) return;
  const dueAt = line.place(next.account as AccountId, next.urgent === true);
  await putInLine(db, { id: next.id, dueAt });
}

type Attempted = Pick<TakenDelivery, 'id' | 'dueAt' | 'lastOutcome'> & { readonly now: Date };

/** How long a delivery is stored after its end, in milliseconds. */
const kept = { delivered: 3 * 24 * 60 * 60_000, parked: 30 * 24 * 60 * 60_000 };

/** Prepares the end of a delivery after an attempt. */
const prepareEnd = (state: keyof typeof kept) =>
  prepareQuery(
    WebhookDelivery,
    (db, { id, dueAt, lastOutcome, now, keptUntil }: Attempted & Pick<WebhookDelivery, 'keptUntil'>) => {
      const ended = db
        .updateTable('webhook_delivery')
        .set({
          state,
          last_attempt_at: now,
          last_outcome: lastOutcome,
          kept_until: keptUntil,
          due_at: null,
        })
        .where('id', '=', id)
        .where('state', '=', waiting)
        .returning('id');
      // What has reached its endpoint is not sent again, whichever node has it now.
      return state === 'delivered' ? ended : ended.where('due_at', '=', dueAt);
    },
  );

const markEnded = { delivered: prepareEnd('delivered'), parked: prepareEnd('parked') };

/** Ends a delivery, and gives the next one of its lane its place in line. */
const end =
  (state: keyof typeof kept) =>
  (db: Db, line: Line, delivery: TakenDelivery, outcome: string): Promise<boolean> =>
    db.transaction(async (transaction) => {
      const now = line.now();
      const keptUntil = new Date(now.getTime() + kept[state]);
      const ended = { ...delivery, lastOutcome: outcome, now, keptUntil };
      if ((await markEnded[state](transaction, ended)).length === 0) return false;
      await moveUp(transaction, line, delivery);
      return true;
    });

/** Records that a delivery has reached its endpoint. Whichever node has it now, it is not sent again. */
export const settle = end('delivered');

/**
 * Gives a delivery up after its last attempt, unless another node has it now.
 * @returns whether it was given up
 */
export const giveUp = end('parked');

/** Records a failed attempt, and the time of the next one, unless another node has the delivery now. */
export const postpone = prepareQuery(
  WebhookDelivery,
  (db, { id, dueAt, lastOutcome, now, next }: Attempted & { readonly next: Date }) =>
    db
      .updateTable('webhook_delivery')
      .set({ last_attempt_at: now, last_outcome: lastOutcome, due_at: next })
      .where(({ and }) => and({ id, state: waiting, due_at: dueAt })),
);

/**
 * Gives back a delivery whose attempt was ended, unless another node has it now. The attempt counts: the receiver may
 * have taken the message, so nothing else may be sent under its id.
 */
export const giveBack = prepareQuery(
  WebhookDelivery,
  (db, { id, dueAt, now }: Omit<Attempted, 'lastOutcome'>) =>
    db
      .updateTable('webhook_delivery')
      .set({ due_at: now })
      .where(({ and }) => and({ id, state: waiting, due_at: dueAt })),
);

interface Over {
  readonly now: Date;
  readonly keptUntil: Date;
  /** The end of a lease that begins now: a delivery that is due before may be on its way. */
  readonly leased: Date;
}

type Again = Over & Place & Pick<WebhookDelivery, 'id'>;

const stepBack = prepareQuery(WebhookDelivery, (db, { id, endpoint, lane, now, leased }: Again) =>
  db
    .updateTable('webhook_delivery')
    .set({ due_at: null })
    .where(({ and }) => and({ endpoint_id: endpoint, lane, state: waiting }))
    .where('id', '>', id)
    .where(({ not }) => not(isOnItsWay({ now, leased }))),
);

const markWaiting = prepareQuery(WebhookDelivery, (db, { id, now, leased, keptUntil }: Again) =>
  db
    .updateTable('webhook_delivery')
    .set({
      state: 'waiting',
      kept_until: keptUntil,
      // One that may be on its way stays with its node.
      due_at: sql`case when state = ${waiting} and ${isOnItsWay({ now, leased })} then due_at else ${now} end`,
    })
    .where('id', '=', id)
    .returning('id'),
);

/**
 * Queues a delivery again, whatever its state, and sends it soon. The attempts continue for three days from now on,
 * and the later deliveries of its lane wait for it, but for one that is on its way.
 * @param db a transaction
 * @returns whether the delivery still exists
 */
export async function sendAgain(
  db: Db,
  { id, endpoint, lane }: Place & Pick<WebhookDelivery, 'id'>,
): Promise<boolean> {
  const now = new Date();
  const [leased, keptUntil] = [new Date(now.getTime() + lease), new Date(now.getTime() + patience)];
  const again = { id, endpoint, lane, now, keptUntil, leased };
  if ((await markWaiting(db, again)).length === 0) return false;
  await stepBack(db, again);
  return true;
}

// One that may be on its way is left to the node that has it: what waits behind it would be sent beside it.
const parkOverdue = prepareQuery(WebhookDelivery, (db, { now, keptUntil, leased }: Over) =>
  db
    .updateTable('webhook_delivery')
    .set({ state: 'parked', kept_until: keptUntil, due_at: null })
    .where('id', 'in', (deliveries) =>
      deliveries
        .selectFrom('webhook_delivery')
        .select('id')
        .where('state', '=', waiting)
        .where('kept_until', '<=', now)
        .where(({ not }) => not(isOnItsWay({ now, leased })))
        .orderBy('kept_until')
        .limit(batchSize),
    )
    .returning(['endpoint_id', 'lane']),
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

/** Parks a batch; the first delivery that is left in each lane gets its place in line. */
const parkSome = (db: Db, line: Line, over: Over): Promise<number> =>
  db.transaction(async (transaction) => {
    // Adding deliveries locks others of their lanes, in another order.
    await lockClock(transaction);
    const parked = await parkOverdue(transaction, over);
    const lanes = new Map(parked.map((each) => [`${each.endpoint} ${each.lane}`, each]));
    for (const each of lanes.values()) await moveUp(transaction, line, each);
    return parked.length;
  });

/**
 * Parks the deliveries that have been tried for three days, and deletes those whose time is over, in batches.
 * @param signal stops before everything is done
 * @returns the number of parked deliveries
 */
export async function tidy(db: Db, line: Line, now = line.now(), signal?: AbortSignal): Promise<number> {
  const keptUntil = new Date(now.getTime() + kept.parked);
  const leased = new Date(now.getTime() + lease);
  let parked = 0;
  for (;;) {
    const some = await parkSome(db, line, { now, keptUntil, leased });
    const deleted = (await deleteOld(db, { now })).length;
    parked += some;
    if ((some < batchSize && deleted < batchSize) || signal?.aborted) return parked;
    // Other requests run between two batches.
    await new Promise(setImmediate);
  }
}

interface TooFar {
  readonly endpoint: number;
  readonly now: Date;
  /** The latest time of an attempt after a failed one. */
  readonly latest: Date;
  /** The last place in line. */
  readonly last: Date;
}

/** The distance from now to the last place in line, in milliseconds: 432,000 deliveries of one account ahead. */
const lastPlace = 12 * 60 * 60_000;

const pullForward = prepareQuery(WebhookDelivery, (db, { endpoint, now, latest, last }: TooFar) =>
  db
    .updateTable('webhook_delivery')
    .set({ due_at: now })
    .where('id', 'in', (deliveries) =>
      deliveries
        .selectFrom('webhook_delivery')
        .select('id')
        .where('endpoint_id', '=', endpoint)
        .where('state', '=', waiting)
        .where(({ or, and, eb }) =>
          or([
            and([eb('attempts', '>', never), eb('due_at', '>', latest)]),
            and([eb('attempts', '=', never), eb('due_at', '>', last)]),
          ]),
        )
        .limit(batchSize),
    ),
);

/**
 * Makes deliveries due that no clock of today would have put so far away: they got their times under a clock that was
 * ahead. At most 200 at a time.
 * @param longest the longest wait before an attempt, in milliseconds
 */
export async function correctDueTimes(db: Db, endpoint: number, now: Date, longest: number): Promise<void> {
  const [latest, last] = [new Date(now.getTime() + longest), new Date(now.getTime() + lastPlace)];
  await pullForward(db, { endpoint, now, latest, last });
}

/** The greatest number that a count returns. */
export const mostCounted = 10_000;

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
