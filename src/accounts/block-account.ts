import { z } from 'zod';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import { change } from '../operations/operation.ts';
import { readAccount } from './account.ts';
import { type AccountRecord, assertNotErased, assertOther } from './account-record.ts';
import { reason } from './arguments.ts';
import { ensureOperator } from './own-account.ts';

/** The input of {@link blockAccount}. */
export const BlockAccountInput = z.object({ id: z.int32(), reason });

type Block = z.output<typeof BlockAccountInput> & { readonly now: Date };

const updateOpen = prepareQuery(Account, (db, { id, reason, now }: Block) =>
  db
    .updateTable('account')
    .set({ blocked_at: now, block_reason: reason })
    .where('id', '=', id as Account['id'])
    .where('blocked_at', 'is', null)
    .where('erased_at', 'is', null)
    .returning('id'),
);

/**
 * Blocks an account: at once, all its API keys and all its access tokens are refused. An account that is already
 * blocked stays unchanged.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`; `CONFLICT` for the operator's own account and for an erased
 *   one
 */
export const blockAccount = change(
  BlockAccountInput,
  async (context, { id, reason }): Promise<AccountRecord> => {
    const operatorId = await ensureOperator(context);
    assertOther(id, operatorId);
    const [changed] = await updateOpen(context.db, { id, reason, now: new Date() });
    if (changed) context.events('account-blocked', { accountId: changed.id, operatorId, reason });
    else context.services.doorGrace?.noteChange({ accountId: id as AccountId });
    const record = await readAccount(context.db, id);
    assertNotErased(record);
    return record;
  },
);
