import type { ExpressionBuilder, Kysely } from 'kysely';
import { findAccount } from '../accounts/own-account.ts';
import { isForPostgres, prepareQuery } from '../database/db.ts';
import { ApiKey, type Tables } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import type { QuotaColumns } from './quota.ts';

/** An API key as its owner sees it: with its quota. */
export interface ApiKeyRecord extends ApiKey, QuotaColumns {}

/** The columns of a key's quota, for a query that joins `api_key_quota`. */
export const quotaColumns = [
  'api_key_quota.units as quotaUnits',
  'api_key_quota.refill as quotaRefill',
  'api_key_quota.taken as quotaTaken',
  'api_key_quota.refills_at as quotaRefillsAt',
  'api_key_quota.generation as quotaGeneration',
] as const;

/** The same for the RETURNING of a change of `api_key`, which joins nothing. */
export const returnedQuota = ({ selectFrom }: ExpressionBuilder<Tables, 'api_key'>) => {
  const quota = selectFrom('api_key_quota').whereRef('api_key_quota.api_key_id', '=', 'api_key.id');
  return [
    quota.select('units').as('quotaUnits'),
    quota.select('api_key_quota.refill').as('quotaRefill'),
    quota.select('taken').as('quotaTaken'),
    quota.select('refills_at').as('quotaRefillsAt'),
    quota.select('generation').as('quotaGeneration'),
  ];
};

type Owned = Caller & { readonly keyId: number };

const selectOwn = (db: Kysely<Tables>, { issuer, subject, keyId }: Owned) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
    .where('api_key.id', '=', keyId)
    .where('account.issuer', '=', issuer)
    .where('account.subject', '=', subject)
    .where('account.blocked_at', 'is', null)
    .selectAll('api_key')
    .select(quotaColumns);

const selectApiKey = prepareQuery(ApiKey, selectOwn);

// SQLite has one writer, which a transaction is; PostgreSQL locks the row.
const selectToChange = prepareQuery(ApiKey, (db, owned: Owned) =>
  isForPostgres(db) ? selectOwn(db, owned).forUpdate('api_key') : selectOwn(db, owned),
);

/** The error of a key that does not exist, or is somebody else's. */
export const apiKeyNotFound = async (context: OperationContext): Promise<GatewayError> =>
  // A key that is somebody else's and none at all are the same work.
  new GatewayError('NOT_FOUND', 'API key not found', { accountId: await findAccount(context) });

/**
 * One of the caller's API keys.
 * @throws {GatewayError} `NOT_FOUND`, the same for a key that does not exist and for somebody else's; `FORBIDDEN` where
 *   the caller is blocked
 */
export async function ownApiKey(context: OperationContext, keyId: number): Promise<ApiKeyRecord> {
  const { caller, db } = context;
  const [found] = await selectApiKey(db, { ...caller, keyId });
  if (found) return found;
  throw await apiKeyNotFound(context);
}

/**
 * One of the caller's API keys, to be changed: what was read stays so until this transaction ends. Its quota is locked
 * by its own row alone.
 * @param context that of a transaction
 * @throws {GatewayError} `NOT_FOUND`, the same for a key that does not exist and for somebody else's
 */
export async function lockApiKey(context: OperationContext, keyId: number): Promise<ApiKeyRecord> {
  const { caller, db } = context;
  const [found] = await selectToChange(db, { ...caller, keyId });
  if (found) return found;
  throw await apiKeyNotFound(context);
}

/** Why a key that cannot be used cannot be used. */
export const unusable = ({ isActive, account }: ApiKey): GatewayError =>
  new GatewayError('CONFLICT', isActive ? 'API key has expired' : 'API key is inactive', {
    accountId: account,
  });
