import { findAccount, ofOwner } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import type { OperationContext, Owner } from '../operations/context.ts';
import { type ApiKeyRecord, selectRecords } from './own-api-key.ts';

const selectDefault = prepareQuery(ApiKey, (db, owned: Owner & { readonly now: Date }) =>
  selectRecords(db)
    .where(ofOwner(owned))
    .where('api_key.is_active', '=', true)
    .where('api_key.paused_at', 'is', null)
    .where(({ eb, or }) =>
      or([eb('api_key.expires_at', 'is', null), eb('api_key.expires_at', '>', owned.now)]),
    )
    .orderBy('api_key.is_default', 'desc')
    .orderBy('api_key.id')
    .limit(1),
);

/**
 * Reads the API key that the caller uses by default: the default key. If that key is missing, inactive, paused or
 * expired, the oldest usable key; null if there is none.
 */
export async function defaultApiKey(context: OperationContext): Promise<ApiKeyRecord | null> {
  const { owner, db } = context;
  const [found] = await selectDefault(db, { ...owner, now: new Date() });
  if (!found) await findAccount(context);
  return found ?? null;
}
