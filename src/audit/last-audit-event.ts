import { isCaller } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { AuditEvent } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';

// A subquery: with a join, PostgreSQL would sort all events of the account.
const selectLast = prepareQuery(AuditEvent, (db, caller: Caller) =>
  db
    .selectFrom('account')
    .where(isCaller(caller))
    .select(({ selectFrom }) =>
      selectFrom('audit_event')
        .whereRef('audit_event.account_id', '=', 'account.id')
        .orderBy('audit_event.id', 'desc')
        .limit(1)
        .select('audit_event.id')
        .$asScalar()
        .as('id'),
    ),
);

/**
 * Reads the id of the newest event in the caller's audit trail; 0 if there is none. Each change of something that the
 * caller owns has an event, and an account's events become visible in the order of their ids: so whatever was read
 * after the same id is still as it was.
 */
export async function lastAuditEvent({ caller, db }: OperationContext): Promise<number> {
  const [found] = await selectLast(db, caller);
  return found?.id ?? 0;
}
