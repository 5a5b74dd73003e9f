import { sql } from 'kysely';
import { accountBlocked, assertNeverWrote, isOwner } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type AccountId, PrivateKey } from '../database/tables.ts';
import type { OperationContext, Owner } from '../operations/context.ts';

/** Whether a private key is registered, and since when. It never contains the key. */
export interface PrivateKeyStatus {
  /** The account's id; null for a person without an account. */
  readonly account: AccountId | null;
  readonly hasKey: boolean;
  /** The JWK thumbprint of the public key (RFC 7638); null without a key, and for one from before it was stored. */
  readonly fingerprint: string | null;
  readonly createdAt: Date | null;
  readonly updatedAt: Date | null;
}

/** The status of a person without a private key. */
export const noPrivateKey = (account: AccountId | null = null): PrivateKeyStatus => ({
  account,
  hasKey: false,
  fingerprint: null,
  createdAt: null,
  updatedAt: null,
});

const selectStatus = prepareQuery(PrivateKey, (db, owner: Owner) =>
  db
    .selectFrom('account')
    .leftJoin('private_key', 'private_key.account_id', 'account.id')
    .where(isOwner(owner))
    .select(['account.id as account_id', 'private_key.fingerprint'])
    .select(['private_key.created_at', 'private_key.updated_at'])
    .select(sql<boolean>`account.blocked_at is not null`.as('blocked')),
);

/**
 * Reads the status of the caller's private key. The query does not even read the sealed key.
 * @throws {GatewayError} `FORBIDDEN` if the account is blocked
 */
export async function privateKeyStatus(context: OperationContext): Promise<PrivateKeyStatus> {
  const [status] = await selectStatus(context.db, context.owner);
  if (!status) {
    assertNeverWrote(context);
    return noPrivateKey();
  }
  const { account, blocked, fingerprint, createdAt, updatedAt } = status;
  if (blocked) throw accountBlocked(account);
  return createdAt ? { account, hasKey: true, fingerprint, createdAt, updatedAt } : noPrivateKey(account);
}
