import { z } from 'zod';
import { type Db, prepareQuery } from '../database/db.ts';
import { Account } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { type AccountRecord, selectAccountRecords } from './account-record.ts';
import { findAccount } from './own-account.ts';

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
  if (found) return found;
  throw new GatewayError('NOT_FOUND', 'Account not found');
}

/**
 * Reads any account for an operator.
 * @throws {GatewayError} `NOT_FOUND`
 */
export async function account(
  context: OperationContext,
  input: z.input<typeof AccountInput>,
): Promise<AccountRecord> {
  const { id } = parseInput(AccountInput, input);
  await findAccount(context);
  return readAccount(context.db, id);
}
