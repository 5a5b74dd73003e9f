import type { z } from 'zod';
import { findAccount, ofCaller } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type Page, PageInput, type PageRange, readPage } from '../database/page.ts';
import { AuditEvent } from '../database/tables.ts';
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

type EventsWanted = Caller & PageRange;

const prepareSelect = (order: 'asc' | 'desc') =>
  prepareQuery(AuditEvent, (db, { issuer, subject, floor, ceiling, limit }: EventsWanted) =>
    db
      .selectFrom('audit_event')
      .innerJoin('account', 'account.id', 'audit_event.account_id')
      .where(ofCaller({ issuer, subject }))
      .where('audit_event.id', '>', floor)
      .where('audit_event.id', '<=', ceiling)
      .orderBy('audit_event.id', order)
      .limit(limit)
      .selectAll('audit_event'),
  );

const select = { asc: prepareSelect('asc'), desc: prepareSelect('desc') };

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
  const found = await readPage(parseInput(AuditEventsInput, input), (range, order) =>
    select[order](db, { ...caller, ...range }),
  );
  if (found.edges.length === 0) await findAccount(context);
  return found;
}

/** The changes that an event records. */
export const changesIn = ({ details }: AuditEvent): Change[] => JSON.parse(details ?? '[]');
