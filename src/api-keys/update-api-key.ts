import { z } from 'zod';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import type { Change } from '../observability/events.ts';
import { changesOf } from '../operations/changes.ts';
import { change } from '../operations/operation.ts';
import { assertEntitled, assertLife, withinDays } from '../plans/bounds.ts';
import { type Entitlement, entitlementOf } from '../plans/entitlement-of.ts';
import {
  assertSize,
  changedParts,
  columnsOf,
  keyParts,
  type QuotaTerms,
  type StoredParts,
  storedParts,
} from './key-parts.ts';
import { type ApiKeyRecord, isUsable, lockApiKey, returnedOthers, unusable } from './own-api-key.ts';
import { quotaTerms, setQuota } from './quota.ts';
import { readList } from './verify/grants.ts';

type Owned = Pick<ApiKey, 'id' | 'account'>;

const updateParts = prepareQuery(ApiKey, (db, values: Owned & StoredParts) =>
  db
    .updateTable('api_key')
    .set(columnsOf(values))
    .where('id', '=', values.id)
    .where('account_id', '=', values.account)
    .returningAll()
    .returning(returnedOthers),
);

/**
 * Refuses a change that gives the key more than its account may have. What the key has already stays, whatever its
 * account may have now.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
function assertBounds(entitlement: Entitlement, before: ApiKey, after: StoredParts): void {
  const held = new Set(readList(before.permissions));
  assertEntitled(
    entitlement,
    readList(after.permissions).filter((permission) => !held.has(permission)),
  );
  const isLonger = before.expiresAt && (!after.expiresAt || after.expiresAt > before.expiresAt);
  if (isLonger) assertLife(entitlement, before.createdAt, after.expiresAt ?? null);
}

/** Compares a key's quota with a new one, for the audit trail. */
async function changedQuota(db: Db, keyId: number, quota: QuotaTerms | null): Promise<Change[]> {
  // Reads the quota again: a concurrent change, for which this one waited at the key's row, may have replaced it.
  return changesOf({ quota: await quotaTerms(db, keyId) }, { quota });
}

/**
 * Changes the properties of one of the caller's API keys. A missing member stays as it is, and null clears a member.
 * An equal value is no change; without any change, nothing is written. What was used of a quota or a rate limit stays
 * used when the limit changes.
 * @throws {GatewayError} `BAD_USER_INPUT`, also for what the account may not give to a key; `CONFLICT` if the key is
 *   inactive or expired, and anything but its name changes: such a key never works again; `NOT_FOUND`, the same for an
 *   unknown key and another person's key
 */
export const updateApiKey = change(
  (settings) => z.object({ keyId: z.int32(), ...keyParts(settings) }),
  async (context, { keyId, ...parts }): Promise<ApiKeyRecord> => {
    const { db, events } = context;
    const { plans, apiKeyDays } = context.services.settings;
    const before = await lockApiKey(context, keyId);
    const after = storedParts(parts, before);
    assertSize(after);
    assertBounds(withinDays(entitlementOf(plans, before), apiKeyDays.most), before, after);
    const quota = parts.quota === undefined ? [] : await changedQuota(db, keyId, parts.quota);
    const changes = [...changedParts(before, after), ...quota];
    if (changes.length === 0) return before;
    const isRename = changes.every(({ field }) => field === 'name');
    if (!isRename && !isUsable(before, new Date())) throw unusable(before);
    if (quota.length > 0) await setQuota(db, keyId, parts.quota ?? null, new Date());
    const [row] = await updateParts(db, { id: keyId, account: before.account, ...after });
    const name = isRename ? 'api-key-renamed' : 'api-key-updated';
    events(name, { accountId: before.account, keyId }, changes);
    return row as ApiKeyRecord;
  },
);
