import { z } from 'zod';
import { readAccount } from '../accounts/account.ts';
import { ensureOperator } from '../accounts/own-account.ts';
import { type Page, PageInput } from '../database/page.ts';
import type { AuditEvent } from '../database/tables.ts';
import { change } from '../operations/operation.ts';
import { readTrailOf } from './audit-events.ts';

/**
 * Reads a page of the audit trail of any account, newest first, for an operator. Who reads another person's trail is
 * recorded in both trails; the page does not include that event yet.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND`
 */
export const accountAuditEvents = change(
  PageInput.safeExtend({ id: z.int32() }),
  async (context, { id, ...page }): Promise<Page<AuditEvent>> => {
    const operatorId = await ensureOperator(context);
    const { id: accountId } = await readAccount(context.db, id);
    const found = await readTrailOf(context.db, page, { account: accountId });
    if (accountId !== operatorId) context.events('account-trail-read', { accountId, operatorId });
    return found;
  },
);
