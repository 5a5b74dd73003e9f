import type { z } from 'zod';
import { prepareQuery } from '../database/db.ts';
import { Account } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { readAccount } from './account.ts';
import { type AccountRecord, assertNotErased } from './account-record.ts';
import { BlockAccountInput } from './block-account.ts';
import { ensureAccount } from './own-account.ts';

/** The input of {@link unblockAccount}. */
export const UnblockAccountInput = BlockAccountInput;

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
export async function unblockAccount(
  context: OperationContext,
  input: z.input<typeof UnblockAccountInput>,
): Promise<AccountRecord> {
  const { id, reason } = parseInput(UnblockAccountInput, input);
  return audited(context, async (inner) => {
    const operatorId = await ensureAccount(inner);
    const [changed] = await updateBlocked(inner.db, { id });
    if (changed) inner.events('account-unblocked', { accountId: changed.id, operatorId, reason });
    const record = await readAccount(inner.db, id);
    assertNotErased(record);
    return record;
  });
}
