// The rows of an erased account belong to nobody from the moment of the erasure: its API keys have no secrets any
// more, and its owner is a stranger to every operation. The remaining rows are removed afterwards, in batches: there
// may be a million of them, and on SQLite all other writers wait for each statement. If a process ends in the middle,
// the next one continues.

import { type Kysely, sql } from 'kysely';
import { CleanUp, cleanUpBatch } from '../database/clean-up.ts';
import { tryLock } from '../database/conditions.ts';
import { type Db, isForPostgres, prepareQuery } from '../database/db.ts';
import {
  Account,
  type AccountId,
  AccountUse,
  ApiKey,
  AuditEvent,
  IdempotencyRecord,
  type Tables,
  WebhookDelivery,
  WebhookEvent,
} from '../database/tables.ts';
import { removeKey } from './remove-key.ts';

/**
 * The lock that lets one node at a time remove rows: the first 64 bits of SHA-256 of `account`, an arbitrary number.
 */
const lock = '-7281738738455033810';

/** The most rows that one statement removes: on SQLite, all other writers wait for the statement. */
const limit = sql.lit(cleanUpBatch);

/** Selects the next erased account, unless another node is removing rows. */
const takeAccount = prepareQuery(Account, (db, _: object) =>
  db
    .selectFrom('account')
    .select('id')
    .where('is_being_erased', '=', sql.lit(true))
    .where(sql<boolean>`(select ${tryLock(db, lock)})`)
    .orderBy('id')
    .limit(1),
);

const finish = prepareQuery(Account, (db, { id }: { readonly id: AccountId }) =>
  db.updateTable('account').set({ is_being_erased: false }).where('id', '=', id),
);

/** Selects and locks the next key of an account. */
const takeKey = prepareQuery(ApiKey, (db, { account }: { readonly account: AccountId }) => {
  const key = db.selectFrom('api_key').select('id').where('account_id', '=', account).orderBy('id').limit(1);
  return isForPostgres(db) ? key.forUpdate() : key;
});

/** Removes an API key of an account, or some of its rows. */
async function removeOneKey(db: Db, account: AccountId): Promise<boolean> {
  const [key] = await takeKey(db, { account });
  if (key) await removeKey(db, key.id);
  return key !== undefined;
}

interface Rest {
  readonly account: AccountId;
  /** The id of the last finished row of the audit trail. */
  readonly after: number;
}

const deleteSomeOf = (
  entity: typeof IdempotencyRecord | typeof WebhookEvent | typeof WebhookDelivery,
  table: 'idempotency_record' | 'webhook_event' | 'webhook_delivery',
  condition = sql<boolean>`1 = 1`,
) =>
  prepareQuery(entity, (db, { account }: Rest) =>
    db
      .deleteFrom(table)
      .where('id', 'in', (rows) =>
        rows.selectFrom(table).select('id').where('account_id', '=', account).where(condition).limit(limit),
      )
      .returning('id'),
  );

const deleteAccountUses = prepareQuery(AccountUse, (db, { account }: Rest) =>
  db
    .deleteFrom('account_use')
    .where('account_id', '=', account)
    .where(
      ({ refTuple, selectFrom }) =>
        sql<boolean>`${refTuple('hour', 'outcome')} in ${selectFrom('account_use as some')
          .where('some.account_id', '=', account)
          .select(['some.hour', 'some.outcome'])
          .limit(limit)}`,
    )
    .returning('hour'),
);

const isPersonal = sql<boolean>`(address is not null or details is not null or reason is not null)`;

const someOfTrail = (db: Kysely<Tables>, after: number) =>
  db
    .selectFrom('audit_event')
    .select('id')
    .where('id', '>', after)
    .where(isPersonal)
    .orderBy('id')
    .limit(limit);

const emptyTrail = prepareQuery(AuditEvent, (db, { account, after }: Rest) =>
  db
    .updateTable('audit_event')
    .set({ address: null, details: null, reason: null })
    .where('id', 'in', someOfTrail(db, after).where('account_id', '=', account))
    .returning('id'),
);

/**
 * Empties the operators' own events about the account as well. The operators' addresses stay, because they are not
 * the account's.
 */
const emptyOperatorsTrails = prepareQuery(AuditEvent, (db, { account }: Rest) =>
  db
    .updateTable('audit_event')
    .set({ details: null, reason: null })
    .where('id', 'in', (rows) =>
      rows
        .selectFrom('audit_event')
        .select('id')
        .where('other_id', '=', account)
        .where('actor', 'is', null)
        .where(sql<boolean>`(details is not null or reason is not null)`)
        .limit(limit),
    )
    .returning('id'),
);

const removals = [
  deleteAccountUses,
  deleteSomeOf(IdempotencyRecord, 'idempotency_record'),
  // Receivers of webhooks still learn that the account was erased.
  deleteSomeOf(WebhookEvent, 'webhook_event', sql`action <> 'account-erased'`),
  deleteSomeOf(WebhookDelivery, 'webhook_delivery', sql`type <> 'account.erased'`),
  emptyOperatorsTrails,
];

/**
 * Removes the remaining rows of erased accounts: on request, and at regular intervals. Disposing of the result ends
 * this; the next start continues.
 * @param onFailure receives the error of a failed run; a later run tries again
 */
export function removeErased(db: Db, onFailure: (error: unknown) => void): CleanUp {
  /** The id of the last finished row in the audit trail of the current account. */
  let after = 0;

  /**
   * Removes the remaining rows of an account.
   * @returns the place to continue in the audit trail; undefined if nothing is left
   */
  const removeRest = async (transaction: Db, account: AccountId): Promise<number | undefined> => {
    for (const remove of removals)
      if ((await remove(transaction, { account, after })).length > 0) return after;
    const emptied = await emptyTrail(transaction, { account, after });
    if (emptied.length > 0) return Math.max(...emptied.map(({ id }) => id));
    // Starts again from the beginning: the skipped rows may have been another account's.
    return after > 0 ? 0 : undefined;
  };

  /** Each transaction has only a few statements that write, so that other writers come between. */
  const removeSome = async (): Promise<number> => {
    const next = await db.transaction(async (transaction) => {
      const [account] = await takeAccount(transaction, {});
      if (!account) return undefined;
      const { id } = account;
      if (await removeOneKey(transaction, id)) return after;
      const following = await removeRest(transaction, id);
      if (following === undefined) await finish(transaction, { id });
      return following ?? 0;
    });
    after = next ?? 0;
    return next === undefined ? 0 : cleanUpBatch;
  };

  return new CleanUp(removeSome, onFailure);
}
