import { prepareQuery } from '../database/prepare-query.ts';
import { PrivateKey } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operation.ts';

/** Whether a private key is registered, and since when. Never the key. */
export interface PrivateKeyStatus {
  readonly hasKey: boolean;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

/** The status of somebody who has no private key here. */
export const noPrivateKey: PrivateKeyStatus = { hasKey: false, createdAt: null, updatedAt: null };

const selectStatus = prepareQuery(PrivateKey, (db, { issuer, subject }: Caller) =>
  db
    .selectFrom('account')
    .leftJoin('private_key', 'private_key.account_id', 'account.id')
    .where('account.issuer', '=', issuer)
    .where('account.subject', '=', subject)
    .select(['account.id as account_id', 'private_key.created_at', 'private_key.updated_at']),
);

/** The status of the caller's private key; the sealed key itself is not even read. */
export async function privateKeyStatus({ caller, db }: OperationContext): Promise<PrivateKeyStatus> {
  const [status] = await selectStatus(db, caller);
  caller.accountId = status?.account;
  if (!status?.createdAt) return noPrivateKey;
  return { hasKey: true, createdAt: status.createdAt, updatedAt: status.updatedAt };
}
