import { z } from 'zod';
import { prepareQuery } from '../database/db.ts';
import { ApiKey, ApiKeySecret } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { changesOf } from '../operations/changes.ts';
import { atMostLong } from '../operations/input.ts';
import { change } from '../operations/operation.ts';
import { type ApiKeyRecord, lastEnd, lockApiKey, returnedOthers } from './own-api-key.ts';

interface OfKey {
  readonly id: number;
  readonly prefix: string;
}

const selectSecret = prepareQuery(ApiKeySecret, (db, { id, prefix }: OfKey) =>
  db
    .selectFrom('api_key_secret')
    .select('works_until')
    .where('api_key_id', '=', id)
    .where('works_until', 'is not', null)
    .where('key_prefix', '=', prefix),
);

const endSecret = prepareQuery(ApiKeySecret, (db, { id, prefix, now }: OfKey & { readonly now: Date }) =>
  db
    .updateTable('api_key_secret')
    .set({ works_until: now })
    .where('api_key_id', '=', id)
    .where('works_until', '>', now)
    .where('key_prefix', '=', prefix),
);

/** Another previous secret of the key may work for longer. */
const updateEnd = prepareQuery(ApiKey, (db, { id }: Pick<OfKey, 'id'>) =>
  db
    .updateTable('api_key')
    .set({ previous_works_until: lastEnd })
    .where('id', '=', id)
    .returningAll()
    .returning(returnedOthers),
);

/**
 * Ends a previous secret of one of the caller's API keys at once. The current secret and other previous ones continue.
 * A secret that has ended stays as it is.
 * @throws {GatewayError} `CONFLICT` for the current secret; `NOT_FOUND` for an unknown secret, and the same for an
 *   unknown key and another person's key
 */
export const endApiKeySecret = change(
  z.object({ keyId: z.int32(), prefix: atMostLong(z.string(), 64) }),
  async (context, { keyId, prefix }): Promise<ApiKeyRecord> => {
    const before = await lockApiKey(context, keyId);
    const { account: accountId, keyPrefix } = before;
    if (prefix === keyPrefix)
      throw new GatewayError('CONFLICT', 'This is the current secret: rotate or deactivate the API key', {
        accountId,
      });
    const now = new Date();
    const found = await selectSecret(context.db, { id: keyId, prefix });
    if (found.length === 0) throw new GatewayError('NOT_FOUND', 'Secret not found', { accountId });
    const [works] = found.filter(({ worksUntil }) => worksUntil && worksUntil > now);
    if (!works) {
      context.services.doorGrace?.noteChange({ accountId, keyId });
      return before;
    }
    await endSecret(context.db, { id: keyId, prefix, now });
    const [row] = await updateEnd(context.db, { id: keyId });
    if (!row) throw new Error('A locked key is gone');
    const changes = changesOf(
      { secret_prefix: prefix, previous_works_until: before.previousWorksUntil },
      { secret_prefix: null, previous_works_until: row.previousWorksUntil },
    );
    context.events('api-key-secret-ended', { accountId, keyId }, changes);
    return row;
  },
);
