import type { ExpressionBuilder, Kysely } from 'kysely';
import { findAccount, ofOwner } from '../accounts/own-account.ts';
import { forUpdate } from '../database/conditions.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { type AccountKind, ApiKey, type Tables } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import type { OperationContext, Owner } from '../operations/context.ts';
import type { QuotaColumns } from './verify/key-limits.ts';

/** An API key as its owner sees it, with its quota. */
export interface ApiKeyRecord extends ApiKey, QuotaColumns {
  /** Whose account it is. */
  readonly ownerKind: AccountKind;
}

/** The columns of a key's quota, for a query that joins `api_key_quota`. */
export const quotaColumns = [
  'api_key_quota.units as quotaUnits',
  'api_key_quota.refill as quotaRefill',
  'api_key_quota.taken as quotaTaken',
  'api_key_quota.refills_at as quotaRefillsAt',
  'api_key_quota.generation as quotaGeneration',
] as const;

/** The columns of a key's quota and of its account for the RETURNING clause of a change of `api_key`, which cannot join. */
export const returnedOthers = ({ selectFrom }: ExpressionBuilder<Tables, 'api_key'>) => {
  const quota = selectFrom('api_key_quota').whereRef('api_key_quota.api_key_id', '=', 'api_key.id');
  return [
    quota.select('units').as('quotaUnits'),
    quota.select('api_key_quota.refill').as('quotaRefill'),
    quota.select('taken').as('quotaTaken'),
    quota.select('refills_at').as('quotaRefillsAt'),
    quota.select('generation').as('quotaGeneration'),
    selectFrom('account')
      .whereRef('account.id', '=', 'api_key.account_id')
      .select('kind')
      .$asScalar()
      .$notNull()
      .as('ownerKind'),
  ];
};

/** The end of the last of a key's previous secrets, for a change of `api_key`. */
export const lastEnd = ({ selectFrom }: ExpressionBuilder<Tables, 'api_key'>) =>
  selectFrom('api_key_secret')
    .whereRef('api_key_secret.api_key_id', '=', 'api_key.id')
    .select(({ fn }) => fn.max('works_until').as('last'));

type Owned = Owner & { readonly keyId: number };

/** Selects API keys with their quotas, joined with their accounts. */
export const selectRecords = (db: Kysely<Tables>) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
    .selectAll('api_key')
    .select('account.kind as ownerKind')
    .select(quotaColumns);

const selectOwn = (db: Kysely<Tables>, owned: Owned) =>
  selectRecords(db).where('api_key.id', '=', owned.keyId).where(ofOwner(owned));

const selectToChange = prepareQuery(ApiKey, (db, owned: Owned) => {
  const key = selectOwn(db, owned).select(['account.plan as plan', 'account.overrides as overrides']);
  return forUpdate(db, key, 'api_key');
});

/** Makes the error for an unknown key or another person's key. */
export const apiKeyNotFound = async (context: OperationContext): Promise<GatewayError> =>
  // Both cases take the same work, so their timing tells no difference.
  new GatewayError('NOT_FOUND', 'API key not found', { accountId: await findAccount(context) });

/** Notes that a key does not work, if it does not: another process may have ended or paused it. */
export function noteEnd({ services }: OperationContext, { id, account, isActive, pausedAt }: ApiKey): void {
  if (!isActive || pausedAt) services.doorGrace?.noteChange({ accountId: account, keyId: id });
}

/** Makes a function that finds one of the caller's API keys by a query. */
function findBy<Found extends ApiKeyRecord>(select: (db: Db, owned: Owned) => Promise<Found[]>) {
  return async (context: OperationContext, keyId: number) => {
    const [found] = await select(context.db, { ...context.owner, keyId });
    if (!found) throw await apiKeyNotFound(context);
    noteEnd(context, found);
    return found;
  };
}

/**
 * Reads one of the caller's API keys.
 * @throws {GatewayError} `NOT_FOUND`, the same for an unknown key and another person's key; `FORBIDDEN` if the caller
 *   is blocked
 */
export const ownApiKey = findBy(prepareQuery(ApiKey, selectOwn));

/**
 * Reads one of the caller's API keys for a change. The key stays unchanged until this transaction ends. The quota has
 * its own row and its own lock.
 * @param context the context of a transaction
 * @returns the key, with what the provider grants its account
 * @throws {GatewayError} `NOT_FOUND`, the same for an unknown key and another person's key
 */
export const lockApiKey = findBy(selectToChange);

/** Whether a key is active and has not expired. */
export const isUsable = ({ isActive, expiresAt }: ApiKey, now: Date): boolean =>
  isActive && !(expiresAt && expiresAt <= now);

/** Makes the error for an unusable key. */
export const unusable = ({ isActive, account }: ApiKey): GatewayError =>
  new GatewayError('CONFLICT', isActive ? 'API key has expired' : 'API key is inactive', {
    accountId: account,
  });
