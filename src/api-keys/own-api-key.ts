import { findAccount } from '../accounts/find-account.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { ApiKey } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { Caller, OperationContext } from '../operations/context.ts';

type Owned = Caller & { readonly keyId: number };

const selectApiKey = prepareQuery(ApiKey, (db, { issuer, subject, keyId }: Owned) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .where('api_key.id', '=', keyId)
    .where('account.issuer', '=', issuer)
    .where('account.subject', '=', subject)
    .where('account.blocked_at', 'is', null)
    .selectAll('api_key'),
);

/**
 * One of the caller's API keys.
 * @throws {GatewayError} `NOT_FOUND`, the same for a key that does not exist and for somebody else's; `FORBIDDEN` where
 *   the caller is blocked
 */
export async function ownApiKey(context: OperationContext, keyId: number): Promise<ApiKey> {
  const { caller, db } = context;
  const [found] = await selectApiKey(db, { ...caller, keyId });
  if (found) return found;
  // A key that is somebody else's and none at all are the same work.
  throw new GatewayError('NOT_FOUND', 'API key not found', { accountId: await findAccount(context) });
}

/** Why a key that cannot be used cannot be used. */
export const unusable = ({ isActive, account }: ApiKey): GatewayError =>
  new GatewayError('CONFLICT', isActive ? 'API key has expired' : 'API key is inactive', {
    accountId: account,
  });
