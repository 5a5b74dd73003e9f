import type { Db } from '../database/db.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { Account, type AccountId } from '../database/tables.ts';

// An UPDATE that changes nothing locks its row on both databases; SQLite has no SELECT … FOR UPDATE.
const touchAccount = prepareQuery(Account, (db, { id }: Pick<Account, 'id'>) =>
  db
    .updateTable('account')
    .set((column) => ({ id: column.ref('id') }))
    .where('id', '=', id),
);

/**
 * Makes all others wait who lock the same account, until this transaction ends.
 * @param db a transaction
 */
export async function lockAccount(db: Db, id: AccountId): Promise<void> {
  await touchAccount(db, { id });
}
