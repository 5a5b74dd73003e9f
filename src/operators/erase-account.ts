import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import { lockAllOf } from '../accounts/locks.ts';
import { ensureAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import {
  Account,
  type AccountId,
  AccountQuota,
  ApiKey,
  ApiKeySecret,
  AutomationSettings,
  PrivateKey,
} from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { AccountInput, readAccount } from './account.ts';
import { type AccountRecord, assertOther } from './account-record.ts';

/** The input of {@link eraseAccount}. */
export const EraseAccountInput = AccountInput;

/** The account to erase, and its new subject, which no identity provider could ever issue. */
interface Erasure {
  readonly id: AccountId;
  readonly subject: string;
  readonly now: Date;
}

const updateAccount = prepareQuery(Account, (db, { id, subject, now }: Erasure) =>
  db
    .updateTable('account')
    .set({ subject, erased_at: now, is_being_erased: true, blocked_at: null, block_reason: null })
    .set({ plan: null, overrides: null, entitled_at: null })
    .where('id', '=', id)
    .where('erased_at', 'is', null)
    .returning('id'),
);

interface Owner {
  readonly id: AccountId;
  readonly now: Date;
}

/**
 * The statements that end everything that the account owns, and delete its secrets. The background removes the
 * remaining rows.
 */
const endings = [
  prepareQuery(ApiKeySecret, (db, { id }: Owner) =>
    db
      .deleteFrom('api_key_secret')
      .where('api_key_id', 'in', (keys) =>
        keys.selectFrom('api_key').select('id').where('account_id', '=', id),
      ),
  ),
  prepareQuery(ApiKey, (db, { id, now }: Owner) =>
    db
      .updateTable('api_key')
      .set({ is_active: false, deactivated_at: now })
      .where('account_id', '=', id)
      .where('is_active', '=', sql.lit(true)),
  ),
  prepareQuery(PrivateKey, (db, { id }: Owner) => db.deleteFrom('private_key').where('account_id', '=', id)),
  prepareQuery(AccountQuota, (db, { id }: Owner) =>
    db.deleteFrom('account_quota').where('account_id', '=', id),
  ),
  prepareQuery(AutomationSettings, (db, { id }: Owner) =>
    db.deleteFrom('automation_settings').where('account_id', '=', id),
  ),
];

/**
 * Erases an account: all its personal and secret data is gone for good. Of the audit trail, the ids and the actions
 * stay. If the person signs in again, a new account begins. An account that is already erased stays unchanged.
 *
 * After this one step, nothing of the account works or is visible any more. `removeErased` removes its rows in the
 * background.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`; `CONFLICT` for the operator's own account
 */
export async function eraseAccount(
  context: OperationContext,
  input: z.input<typeof EraseAccountInput>,
): Promise<AccountRecord> {
  const { id } = parseInput(EraseAccountInput, input);
  return audited(context, async (inner) => {
    const { db, events } = inner;
    const operatorId = await ensureAccount(inner);
    assertOther(id, operatorId);
    // First waits for all transactions that change something of the account, then for those that add something to it,
    // by the lock of the account's row. From there on, all others wait, find nothing, and cannot write their audit
    // events.
    await lockAllOf(db, id as AccountId);
    const now = new Date();
    const subject = `erased:${randomUUID()}`;
    const [account] = await updateAccount(db, { id: id as AccountId, subject, now });
    if (account) {
      for (const end of endings) await end(db, { id: account.id, now });
      events('account-erased', { accountId: account.id, operatorId });
    }
    return readAccount(db, id);
  });
}
