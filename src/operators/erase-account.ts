import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { lockAllOf } from '../accounts/locks.ts';
import { ensureAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import {
  Account,
  type AccountId,
  AccountUse,
  ApiKey,
  ApiKeyQuota,
  ApiKeySecret,
  ApiKeyUse,
  AuditEvent,
  AutomationSettings,
  IdempotencyRecord,
  PrivateKey,
  WebhookDelivery,
  WebhookEvent,
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
    .set({ subject, erased_at: now, blocked_at: null, block_reason: null })
    .where('id', '=', id)
    .where('erased_at', 'is', null)
    .returning('id'),
);

type Owner = Pick<Account, 'id'>;

const ofKeys = [
  [ApiKeySecret, 'api_key_secret'],
  [ApiKeyQuota, 'api_key_quota'],
  [ApiKeyUse, 'api_key_use'],
] as const;

const ofAccount = [
  [AccountUse, 'account_use'],
  [ApiKey, 'api_key'],
  [PrivateKey, 'private_key'],
  [AutomationSettings, 'automation_settings'],
  [IdempotencyRecord, 'idempotency_record'],
  // Receivers of webhooks are told that it was erased, and nothing else of it any more.
  [WebhookEvent, 'webhook_event'],
  [WebhookDelivery, 'webhook_delivery'],
] as const;

/** Each deletes what an account has in one table, in an order in which no row is left without what it belongs to. */
const deletions = [
  ...ofKeys.map(([entity, table]) =>
    prepareQuery(entity, (db, { id }: Owner) =>
      db
        .deleteFrom(table)
        .where('api_key_id', 'in', (keys) =>
          keys.selectFrom('api_key').select('id').where('account_id', '=', id),
        ),
    ),
  ),
  ...ofAccount.map(([entity, table]) =>
    prepareQuery(entity, (db, { id }: Owner) => db.deleteFrom(table).where('account_id', '=', id)),
  ),
];

const emptyTrail = prepareQuery(AuditEvent, (db, { id }: Owner) =>
  db
    .updateTable('audit_event')
    .set({ address: null, details: null, reason: null })
    .where('account_id', '=', id),
);

/** What operators have written about it stands in their own trails as well. */
const emptyOperatorsTrails = prepareQuery(AuditEvent, (db, { id }: Owner) =>
  db
    .updateTable('audit_event')
    .set({ details: null, reason: null })
    .where('other_id', '=', id)
    .where('actor', 'is', null),
);

/**
 * Erases an account: what is personal or secret is gone, for good. Of the audit trail the ids and the actions stay. Whoever
 * it was begins anew with another sign-in. One that is erased already stays as it is.
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
    const [account] = await updateAccount(db, {
      id: id as AccountId,
      subject: `erased:${randomUUID()}`,
      now: new Date(),
    });
    if (account) {
      for (const erase of [...deletions, emptyTrail, emptyOperatorsTrails]) await erase(db, account);
      events('account-erased', { accountId: account.id, operatorId });
    }
    return readAccount(db, id);
  });
}
