import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { findAccount, ofCaller } from '../accounts/own-account.ts';
import { type Page, PageInput, preparePages } from '../database/page.ts';
import { type AccountId, AuditEvent, type Tables } from '../database/tables.ts';
import type { Change } from '../observability/events.ts';
import { longestKept, mostDetails } from '../operations/changes.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import { longestReason, mostTextBytes, parseInput } from '../operations/input.ts';

export type { Change };
export { longestKept, mostDetails };

/** The most bytes of an operator's reason, as JSON. */
export const mostReasonBytes = mostTextBytes(longestReason);

/** The input of {@link auditEvents}. */
export const AuditEventsInput = PageInput;

/** Selects events, joined with their accounts. */
const selectEvents = (db: Kysely<Tables>) =>
  db
    .selectFrom('audit_event')
    .innerJoin('account', 'account.id', 'audit_event.account_id')
    .selectAll('audit_event');

const readOwn = preparePages(AuditEvent, 'audit_event', (db, { issuer, subject }: Caller) =>
  selectEvents(db).where(ofCaller({ issuer, subject })),
);

/** Reads a page of the trail of any account, newest first. */
export const readTrailOf = preparePages(
  AuditEvent,
  'audit_event',
  (db, { account }: { readonly account: AccountId }) =>
    selectEvents(db).where('audit_event.account_id', '=', account),
);

/**
 * Reads a page of the caller's audit trail, newest first: the changes to the caller's own account, and the caller's
 * actions as an operator.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function auditEvents(
  context: OperationContext,
  input: z.input<typeof AuditEventsInput>,
): Promise<Page<AuditEvent>> {
  const { caller, db } = context;
  const found = await readOwn(db, parseInput(AuditEventsInput, input), caller);
  if (found.edges.length === 0) await findAccount(context);
  return found;
}

/** The changes that an event records. */
export const changesIn = ({ details }: AuditEvent): Change[] => JSON.parse(details ?? '[]');
