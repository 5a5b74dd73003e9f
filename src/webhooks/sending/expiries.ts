// The expiries of API keys, which become events by the passing of time. One row, the clock, says up to which time they
// have been announced. The node that announces them, and the node that hands out events, lock it.

import { sql } from 'kysely';
import { type Db, prepareQuery } from '../../database/db.ts';
import { WebhookClock, WebhookEvent } from '../../database/tables.ts';

const day = 24 * 60 * 60_000;

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
        .innerJoin('account', 'account.id', 'api_key.account_id')
        .where('account.erased_at', 'is', null)
        .where('is_active', '=', sql.lit(true))
        .where('expires_at', '>', after)
        .where('expires_at', '<=', until)
        .orderBy('expires_at')
        .select(({ val }) => [
          'account_id',
          val('time').as('actor'),
          val(action).as('action'),
          'api_key.id',
          val(now).as('created_at'),
        ]),
    ),
);

const readClock = prepareQuery(WebhookClock, (db, _: object) =>
  db.selectFrom('webhook_clock').select('expiries_told_until'),
);

/** Reads the time up to which expiries have been announced; undefined before the first endpoint. */
export async function expiriesToldUntil(db: Db): Promise<Date | undefined> {
  const [clock] = await readClock(db, {});
  return clock?.expiriesToldUntil;
}

/** Sets the time up to which expiries have been announced. */
export const setClock = prepareQuery(WebhookClock, (db, { until }: { until: Date }) =>
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

/** Announces expiries from a time on again, because the clock was ahead when they were announced up to a later one. */
export const resetExpiries = (db: Db, from: Date): Promise<void> =>
  db.transaction(async (transaction) => {
    const told = await lockClock(transaction);
    if (told && told > from) await setClock(transaction, { until: from });
  });
