import { sql } from 'kysely';
import { z } from 'zod';
import { lockAccount } from '../accounts/locks.ts';
import { ensureAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { audited } from '../operations/audited.ts';
import { changesOf } from '../operations/changes.ts';
import { operation } from '../operations/operation.ts';
import { assertEntitled, assertLife, latestEnd, usualEnd, withinDays } from '../plans/bounds.ts';
import { type Entitlement, entitlementOf } from '../plans/entitlement-of.ts';
import {
  createApiKeySecret,
  keyPrefixOf,
  type NewApiKey,
  sealSecret,
  storeSecret,
} from './api-key-secret.ts';
import {
  assertSize,
  changedParts,
  columnsOf,
  keyParts,
  noParts,
  type PartColumn,
  type StoredParts,
  storedParts,
} from './key-parts.ts';
import { noQuota, setQuota } from './quota.ts';
import { readList } from './verify/grants.ts';

type NewRow = StoredParts &
  Pick<ApiKey, 'account' | 'keyPrefix' | 'createdAt' | 'createdBy'> & {
    /** The most active keys of an account. */
    readonly most: number;
  };

// The limit is in the INSERT's own WHERE. It holds for concurrent requests too, because the account is locked.
const insertApiKey = prepareQuery(ApiKey, (db, values: NewRow) => {
  const { account, most, keyPrefix, createdAt, createdBy } = values;
  const given = Object.entries({
    account_id: account,
    key_prefix: keyPrefix,
    created_at: createdAt,
    created_by: createdBy,
    ...columnsOf(values),
  });
  const keys = db.selectFrom('api_key').where('account_id', '=', account);
  // A literal: with a parameter, SQLite could not see that the index of active keys has all of them.
  const active = keys.where('is_active', '=', sql.lit(true));
  return db
    .insertInto('api_key')
    .columns([
      ...(given.map(([column]) => column) as PartColumn[]),
      'is_active',
      'is_default',
      'encryption_version',
    ])
    .expression(
      db
        .selectNoFrom(({ exists, lit, not, val }) => [
          ...given.map(([column, value]) => val(value).as(column)),
          lit(true).as('is_active'),
          not(exists(keys.select('id'))).as('is_default'),
          lit(1).as('encryption_version'),
        ])
        .where(
          active.select(({ fn }) => fn.countAll().as('count')),
          '<',
          most,
        ),
    )
    .returningAll();
});

const updateSealed = prepareQuery(
  ApiKey,
  (db, { id, encryptedKey, encryptionVersion }: Pick<ApiKey, 'id' | 'encryptedKey' | 'encryptionVersion'>) =>
    db
      .updateTable('api_key')
      .set({ encrypted_key: encryptedKey, encryption_version: encryptionVersion })
      .where('id', '=', id),
);

/**
 * Bounds the parts of a new key by what its account may have. A key that shall not expire gets the latest end.
 * @param usual the end of a key that names none
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
function entitledParts(
  parts: StoredParts,
  entitlement: Entitlement,
  { createdAt, usual }: { readonly createdAt: Date; readonly usual: Date | null },
): StoredParts {
  assertEntitled(entitlement, readList(parts.permissions));
  const expiresAt = parts.expiresAt ?? usual ?? latestEnd(entitlement, createdAt);
  assertLife(entitlement, createdAt, expiresAt);
  return { ...parts, expiresAt };
}

const tooMany = (most: number) =>
  new GatewayError('CONFLICT', `You may have at most ${most} active API keys: deactivate one first`);

/**
 * Creates an API key for the caller, and the caller's account if it is missing. The first key of an account becomes
 * its default.
 * @returns the key with its secret; no other operation ever shows the secret
 * @throws {GatewayError} `BAD_USER_INPUT`, also for what the account may not give to a key; `CONFLICT` if the account
 *   already has the most active keys
 */
export const createApiKey = operation(
  (settings) => z.object(keyParts(settings)),
  async (context, { quota = null, ...given }): Promise<NewApiKey> => {
    const { settings } = context.services;
    const asked = storedParts(given, noParts);
    assertSize(asked);
    const key = createApiKeySecret(settings.apiKeyPrefix);
    return audited(context, async (inner) => {
      const account = await ensureAccount(inner);
      const createdBy = (await inner.member?.ensureAccount(inner)) ?? null;
      // Makes sure that only one of several concurrent keys becomes the first.
      const granted = entitlementOf(settings.plans, (await lockAccount(inner.db, account)) ?? {});
      const entitlement = withinDays(granted, settings.apiKeyDays.most);
      const createdAt = new Date();
      const isEndless = given.expiresAt === null;
      const usual = isEndless ? null : usualEnd(entitlement, createdAt, settings.apiKeyDays.usual);
      const parts = entitledParts(asked, entitlement, { createdAt, usual });
      const most = entitlement.maxActiveKeys ?? settings.apiKeysPerAccount;
      const values = { account, most, keyPrefix: keyPrefixOf(key), createdAt, createdBy, ...parts };
      const [row] = await insertApiKey(inner.db, values);
      if (!row) throw tooMany(most);
      const quotaColumns = quota ? await setQuota(inner.db, row.id, quota, createdAt) : noQuota;
      await storeSecret(inner, { id: row.id, secret: key, createdAt });
      // The sealed copy contains the row's id, so the row must exist first.
      const sealed = await sealSecret(inner.services, row, key);
      if (sealed.encryptedKey !== null) await updateSealed(inner.db, { id: row.id, ...sealed });
      const changes = [...changedParts(noParts, parts), ...changesOf({ quota: null }, { quota })];
      inner.events('api-key-created', { accountId: account, keyId: row.id }, changes);
      return { ...row, ...quotaColumns, ...sealed, ownerKind: inner.owner.kind, key };
    });
  },
);
