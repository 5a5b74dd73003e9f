// Up to which id the audit trail is complete.
//
// On SQLite, a transaction begins after the end of the one before, so ids become visible in their order. PostgreSQL
// gives an id before the commit: while one transaction is still open, others commit events with greater ids. Whoever
// then reads on from the greatest id would never see the events of the first.
//
// Each transaction that adds events holds the lock of their account from before it gets an id until after it has
// committed: the trigger that gives the id takes it. So an id that the sequence had given before, when nobody held such a
// lock, is either visible or will never be there.

import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, isForPostgres, prepareQuery } from '../database/db.ts';
import { AuditEvent } from '../database/tables.ts';
import { once } from '../once.ts';

/** The number of the locks of accounts: see the trigger `give_audit_event_its_id`. */
const lockOfAccounts = 1801812343;

/** How long the transactions that are open may take, in milliseconds. */
const patience = 500;

/** The pause between two looks at them, in milliseconds. */
const pause = 5;

const selectGreatest = prepareQuery(AuditEvent, (db, _: object) =>
  db.selectFrom('audit_event').select(({ fn }) => fn.max('id').as('id')),
);

const selectGiven = prepareQuery(AuditEvent, (db, _: object) =>
  db.selectNoFrom(
    sql<number>`(select case when is_called then last_value else 0 end from audit_event_id_seq)`.as('id'),
  ),
);

const selectOpen = prepareQuery(AuditEvent, (db, _: object) =>
  db.selectNoFrom(
    sql<string | null>`(select string_agg(virtualtransaction, ' ') from pg_locks
      where locktype = 'advisory' and classid = ${sql.lit(lockOfAccounts)} and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database()))`.as('request'),
  ),
);

/** The transactions that may hold ids which nobody sees yet. */
async function openTransactions(db: Db): Promise<ReadonlySet<string>> {
  const [row] = await selectOpen(db, {});
  return new Set(row?.request?.split(' ') ?? []);
}

/** Up to which id each database was complete, when this process last knew. */
const known = once((_adapter: object) => ({ id: 0 }));

/**
 * Finds the id up to which the audit trail is complete: no event with such an id will come any more. It waits a moment
 * for the transactions that are open; if one takes longer, it gives an earlier id.
 * @param db outside a transaction, which might see the database as it was before
 */
export async function settledEvents(db: Db): Promise<number> {
  if (!isForPostgres(db.kysely)) return (await selectGreatest(db, {}))[0]?.id ?? 0;
  const settled = known(db.kysely.getExecutor().adapter);
  const given = Number((await selectGiven(db, {}))[0]?.id ?? 0);
  const before = await openTransactions(db);
  const until = performance.now() + patience;
  for (let open = before; [...before].some((each) => open.has(each)); open = await openTransactions(db)) {
    if (performance.now() >= until) return settled.id;
    await delay(pause);
  }
  settled.id = Math.max(settled.id, given);
  return settled.id;
}
