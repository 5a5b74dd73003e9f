import { z } from 'zod';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import type { Change } from '../observability/events.ts';
import { audited, changesOf } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { byLimits, parseInput } from '../operations/input.ts';
import {
  changedParts,
  type KeyParts,
  keyParts,
  type QuotaTerms,
  type StoredParts,
  storedParts,
} from './key-parts.ts';
import { type ApiKeyRecord, lockApiKey, returnedQuota, unusable } from './own-api-key.ts';
import { quotaTerms, setQuota } from './quota.ts';

/** The input of {@link updateApiKey}: what is left out stays, null clears. */
export const updateApiKeyInput = byLimits((limits) => z.object({ keyId: z.int32(), ...keyParts(limits) }));

type Owned = Pick<ApiKey, 'id' | 'account'>;

const updateParts = prepareQuery(ApiKey, (db, values: Owned & StoredParts) =>
  db
    .updateTable('api_key')
    .set({
      name: values.name,
      permissions: values.permissions,
      metadata: values.metadata,
      allowed_addresses: values.allowedAddresses,
      rate_limit: values.rateLimit,
      rate_limit_window: values.rateLimitWindow,
      expires_at: values.expiresAt,
    })
    .where('id', '=', values.id)
    .where('account_id', '=', values.account)
    .returningAll()
    .returning(returnedQuota),
);

/** Whether a key can be used, now. */
const isUsable = ({ isActive, expiresAt }: ApiKey): boolean =>
  isActive && !(expiresAt && expiresAt <= new Date());

/**
 * Changes what one of the caller's API keys is and may do. What is left out stays, null clears it; what is as it was
 * is no change, and where nothing is one, nothing is written. Another quota begins its period now.
 * @throws {GatewayError} `BAD_USER_INPUT`; `CONFLICT` for another change than that of the name of a key that is
 *   inactive or has expired: it does not come back; `NOT_FOUND`, the same for a key that does not exist and for
 *   somebody else's
 */
export async function updateApiKey(
  context: OperationContext,
  input: z.input<ReturnType<typeof updateApiKeyInput>>,
): Promise<ApiKeyRecord> {
  const { keyId, ...parts } = parseInput(updateApiKeyInput(context.limits), input);
  return audited(context, (inner) => changeApiKey(inner, keyId, parts));
}

/**
 * Makes these changes of one of the caller's API keys.
 * @param context that of a transaction
 */
async function changeApiKey(
  context: OperationContext,
  keyId: number,
  parts: KeyParts,
): Promise<ApiKeyRecord> {
  const { db, events } = context;
  const before = await lockApiKey(context, keyId);
  const after = storedParts(parts, before);
  const quota = parts.quota === undefined ? [] : await changedQuota(db, keyId, parts.quota);
  const changes = [...changedParts(before, after), ...quota];
  if (changes.length === 0) return before;
  const isRename = changes.every(({ field }) => field === 'name');
  if (!isRename && !isUsable(before)) throw unusable(before);
  if (quota.length > 0) await setQuota(db, keyId, parts.quota ?? null, new Date());
  const [row] = await updateParts(db, { id: keyId, account: before.account, ...after });
  const name = isRename ? 'api-key-renamed' : 'api-key-updated';
  events(name, { accountId: before.account, keyId }, changes);
  return row as ApiKeyRecord;
}

/** What becomes of a key's quota; nothing where it is as it was. */
async function changedQuota(db: Db, keyId: number, quota: QuotaTerms | null): Promise<Change[]> {
  // It is read again: a change that was waited for at the key's row may have made another of it.
  return changesOf({ quota: await quotaTerms(db, keyId) }, { quota });
}
