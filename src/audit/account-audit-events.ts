import { z } from 'zod';
import { readAccount } from '../accounts/account.ts';
import { ensureAccount } from '../accounts/own-account.ts';
import { type Page, PageInput } from '../database/page.ts';
import type { AccountId, AuditEvent } from '../database/tables.ts';
import { audited } from '../operations/audited.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { readTrailOf } from './audit-events.ts';

/** The input of {@link accountAuditEvents}. */
export const AccountAuditEventsInput = PageInput.safeExtend({ id: z.int32() });

/**
 * Reads a page of the audit trail of any account, newest first, for an operator. Who reads another person's trail is
 * recorded in both trails; the page does not include that event yet.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export async function accountAuditEvents(
  context: OperationContext,
  input: z.input<typeof AccountAuditEventsInput>,
): Promise<Page<AuditEvent>> {
  const { id, ...page } = parseInput(AccountAuditEventsInput, input);
  const accountId = id as AccountId;
  return audited(context, async (inner) => {
    const operatorId = await ensureAccount(inner);
    await readAccount(inner.db, id);
    const found = await readTrailOf(inner.db, page, { account: accountId });
    if (accountId !== operatorId) inner.events('account-trail-read', { accountId, operatorId });
    return found;
  });
}
