import { z } from 'zod';
import { type Db, prepareQuery } from '../database/db.ts';
import { Account } from '../database/tables.ts';
import { operation } from '../operations/operation.ts';
import { type AccountRecord, selectAccountRecords } from './account-record.ts';
import { accountNotFound, findAccount } from './own-account.ts';

/** The input of {@link account}. */
export const AccountInput = z.object({ id: z.int32() });

const selectAccount = prepareQuery(Account, (db, { id }: z.output<typeof AccountInput>) =>
  selectAccountRecords(db).where('account.id', '=', id as AccountRecord['id']),
);

/**
 * Reads any account, as operators see it.
 * @throws {GatewayError} `NOT_FOUND`
 */
export async function readAccount(db: Db, id: number): Promise<AccountRecord> {
  const [found] = await selectAccount(db, { id });
  if (!found) throw accountNotFound();
  return found;
}

/**
 * Reads any account for an operator.
 * @throws {GatewayError} `NOT_FOUND`
 */
export const account = operation(AccountInput, async (context, { id }): Promise<AccountRecord> => {
  await findAccount(context);
  return readAccount(context.db, id);
});
