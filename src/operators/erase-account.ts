import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import { lockAllOf } from '../accounts/locks.ts';
import { ensureAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import {
  Account,
  type AccountId,
  ApiKey,
  ApiKeySecret,
  AutomationSettings,
  PrivateKey,
  WebhookDelivery,
} from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { AccountInput, readAccount } from './account.ts';
import { type AccountRecord, assertOther } from './account-record.ts';

/** The input of {@link eraseAccount}. */
export const EraseAccountInput = AccountInput;

/** Which account, and who it is from then on: nobody that an identity provider could name. */
interface Erasure {
  readonly id: AccountId;
  readonly subject: string;
  readonly now: Date;
}

const updateAccount = prepareQuery(Account, (db, { id, subject, now }: Erasure) =>
  db
    .updateTable('account')
    .set({ subject, erased_at: now, is_being_erased: true, blocked_at: null, block_reason: null })
    .where('id', '=', id)
    .where('erased_at', 'is', null)
    .returning('id'),
);

interface Owner {
  readonly id: AccountId;
  readonly now: Date;
}

/** What ends all that an account has, and its secrets. The rows that are left are removed afterwards. */
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
  prepareQuery(AutomationSettings, (db, { id }: Owner) =>
    db.deleteFrom('automation_settings').where('account_id', '=', id),
  ),
  // Receivers of webhooks are told that it was erased, and nothing else of it any more.
  prepareQuery(WebhookDelivery, (db, { id }: Owner) =>
    db.deleteFrom('webhook_delivery').where('account_id', '=', id).where('state', '=', sql.lit('waiting')),
  ),
];

/**
 * Erases an account: what is personal or secret is gone, for good. Of the audit trail the ids and the actions stay. Whoever
 * it was begins anew with another sign-in. One that is erased already stays as it is. From this one step on, nothing of
 * it is good or seen any more; its rows are removed in the background, by `removeErased`.
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
    // Whoever changes something of it is waited for; then whoever adds something, by the account's own row. From there on
    // all others wait, find nothing, and cannot write their audit events.
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
