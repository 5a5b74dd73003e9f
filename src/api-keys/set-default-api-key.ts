import { z } from 'zod';
import { lockAccount } from '../accounts/locks.ts';
import { prepareQuery } from '../database/db.ts';
import { ApiKey } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { audited } from '../operations/audited.ts';
import { changesOf } from '../operations/changes.ts';
import { operation } from '../operations/operation.ts';
import { type ApiKeyRecord, isUsable, ownApiKey, returnedOthers, unusable } from './own-api-key.ts';

type Owned = Pick<ApiKey, 'id' | 'account'>;

const unsetOthers = prepareQuery(ApiKey, (db, { id, account }: Owned) =>
  db
    .updateTable('api_key')
    .set({ is_default: false })
    .where('account_id', '=', account)
    .where('is_default', '=', true)
    .where('id', '!=', id)
    .returning('id'),
);

const setDefault = prepareQuery(ApiKey, (db, { id, account, now }: Owned & { readonly now: Date }) =>
  db
    .updateTable('api_key')
    .set({ is_default: true })
    .where('id', '=', id)
    .where('account_id', '=', account)
    .where('is_active', '=', true)
    .where('paused_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .returningAll()
    .returning(returnedOthers),
);

/** Makes the error for a key that is of no use now. */
const useless = (key: ApiKey): GatewayError =>
  isUsable(key, new Date())
    ? new GatewayError('CONFLICT', 'API key is paused', { accountId: key.account })
    : unusable(key);

/**
 * Makes one of the caller's API keys the default, instead of any other.
 * @throws {GatewayError} `CONFLICT` for an inactive, expired or paused key; `NOT_FOUND`, the same for an unknown key and
 *   another person's key
 */
export const setDefaultApiKey = operation(
  z.object({ keyId: z.int32() }),
  async (context, { keyId }): Promise<ApiKeyRecord> => {
    const { account } = await ownApiKey(context, keyId);
    return audited(context, async (inner) => {
      const { db, events } = inner;
      await lockAccount(db, account);
      const before = await ownApiKey(inner, keyId);
      const [former] = await unsetOthers(db, before);
      const [row] = await setDefault(db, { ...before, now: new Date() });
      // The error rolls the transaction back, with the change of the former default.
      if (!row) throw useless(await ownApiKey(inner, keyId));
      const changes = changesOf({ default_key_id: former?.id ?? null }, { default_key_id: keyId });
      if (!before.isDefault) events('default-api-key-set', { accountId: account, keyId }, changes);
      return row;
    });
  },
);
