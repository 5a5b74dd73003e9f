import { prepareQuery } from '../database/db.ts';
import { Account } from '../database/tables.ts';
import { change } from '../operations/operation.ts';
import { readAccount } from './account.ts';
import { type AccountRecord, assertNotErased } from './account-record.ts';
import { BlockAccountInput } from './block-account.ts';
import { ensureOperator } from './own-account.ts';

const updateBlocked = prepareQuery(Account, (db, { id }: { readonly id: number }) =>
  db
    .updateTable('account')
    .set({ blocked_at: null, block_reason: null })
    .where('id', '=', id as Account['id'])
    .where('blocked_at', 'is not', null)
    .where('erased_at', 'is', null)
    .returning('id'),
);

/**
 * Unblocks an account: its API keys and access tokens work as before. An account that is not blocked stays unchanged.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`; `CONFLICT` for an erased account
 */
export const unblockAccount = change(
  BlockAccountInput,
  async (context, { id, reason }): Promise<AccountRecord> => {
    const operatorId = await ensureOperator(context);
    const [changed] = await updateBlocked(context.db, { id });
    if (changed) context.events('account-unblocked', { accountId: changed.id, operatorId, reason });
    const record = await readAccount(context.db, id);
    assertNotErased(record);
    return record;
  },
);
