import { randomUUID } from 'node:crypto';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import { change } from '../operations/operation.ts';
import { AccountInput, readAccount } from './account.ts';
import { type AccountRecord, assertOther } from './account-record.ts';
import { lockAccount, lockSettings } from './locks.ts';
import { ensureOperator } from './own-account.ts';

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

/**
 * The statements that delete what the account has one of. There may be any number of API keys: an erased account's are
 * found by nobody, and the background removes them.
 */
const endings = (['private_key', 'account_quota', 'automation_settings'] as const).map((table) =>
  prepareQuery(Account, (db, { id }: Pick<Account, 'id'>) =>
    db.deleteFrom(table).where('account_id', '=', id),
  ),
);

/**
 * Erases an account: all its personal and secret data is gone for good. Of the audit trail, the ids and the actions
 * stay. If the person signs in again, a new account begins. An account that is already erased stays unchanged.
 *
 * After this one step, nothing of the account works or is visible any more. `removeErased` removes its rows in the
 * background.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`; `CONFLICT` for the operator's own account
 */
export const eraseAccount = change(AccountInput, async (context, { id }): Promise<AccountRecord> => {
  const { db, events } = context;
  const operatorId = await ensureOperator(context);
  assertOther(id, operatorId);
  // First waits for all transactions that change the settings or the private key. The update then waits for those that
  // have written an audit event. From there on, all others wait, and cannot write theirs.
  await lockAccount(db, id as AccountId);
  await lockSettings(db, id as AccountId);
  const now = new Date();
  const subject = `erased:${randomUUID()}`;
  const [account] = await updateAccount(db, { id: id as AccountId, subject, now });
  if (account) {
    for (const end of endings) await end(db, { id: account.id });
    events('account-erased', { accountId: account.id, operatorId });
  } else context.services.doorGrace?.noteChange({ accountId: id as AccountId });
  return readAccount(db, id);
});
