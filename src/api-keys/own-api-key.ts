import { findAccount } from '../accounts/find-account.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { type AccountId, ApiKey } from '../database/tables.ts';
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
    .selectAll('api_key'),
);

/**
 * One of the caller's API keys.
 * @throws {GatewayError} `NOT_FOUND`, the same for a key that does not exist and for somebody else's
 */
export async function ownApiKey(context: OperationContext, keyId: number): Promise<ApiKey> {
  const { caller, db } = context;
  const [found] = await selectApiKey(db, { ...caller, keyId });
  if (found) return found;
  // A key that is somebody else's and none at all are the same work.
  throw apiKeyNotFound(await findAccount(context));
}

/**
 * The caller has no such key: there is none, or it is somebody else's.
 * @param accountId the caller's own
 */
export const apiKeyNotFound = (accountId: AccountId | undefined): GatewayError =>
  new GatewayError('NOT_FOUND', 'API key not found', { accountId });

/** Why a key that cannot be used cannot be used. */
export const unusable = ({ isActive, account }: ApiKey): GatewayError =>
  new GatewayError('CONFLICT', isActive ? 'API key has expired' : 'API key is inactive', {
    accountId: account,
  });
