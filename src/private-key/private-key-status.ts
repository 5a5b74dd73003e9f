import { sql } from 'kysely';
import { accountBlocked } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type AccountId, PrivateKey } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';

/** Whether a private key is registered, and since when. Never the key. */
export interface PrivateKeyStatus {
  /** Whose it is; null for somebody who never wrote anything here. */
  readonly account: AccountId | null;
  readonly hasKey: boolean;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

/** The status of somebody who has no private key here. */
export const noPrivateKey = (account: AccountId | null = null): PrivateKeyStatus => ({
  account,
  hasKey: false,
  createdAt: null,
  updatedAt: null,
});

const selectStatus = prepareQuery(PrivateKey, (db, { issuer, subject }: Caller) =>
  db
    .selectFrom('account')
    .leftJoin('private_key', 'private_key.account_id', 'account.id')
    .where('account.issuer', '=', issuer)
    .where('account.subject', '=', subject)
    .select(['account.id as account_id', 'private_key.created_at', 'private_key.updated_at'])
    .select(sql<unknown>`account.blocked_at is not null`.as('blocked')),
);

/** The status of the caller's private key; the sealed key itself is not even read. */
export async function privateKeyStatus({ caller, db }: OperationContext): Promise<PrivateKeyStatus> {
  const [status] = await selectStatus(db, caller);
  if (!status) return noPrivateKey();
  const { account, blocked, createdAt, updatedAt } = status;
  if (blocked) throw accountBlocked(account);
  return createdAt ? { account, hasKey: true, createdAt, updatedAt } : noPrivateKey(account);
}
