import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { findAccount, ofCaller } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type Page, PageInput, type PageRange, readPage } from '../database/page.ts';
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

/** A query for a page of a trail. */
const trail = (db: Kysely<Tables>, { floor, ceiling, limit }: PageRange, order: 'asc' | 'desc') =>
  db
    .selectFrom('audit_event')
    .innerJoin('account', 'account.id', 'audit_event.account_id')
    .where('audit_event.id', '>', floor)
    .where('audit_event.id', '<=', ceiling)
    .orderBy('audit_event.id', order)
    .limit(limit)
    .selectAll('audit_event');

const prepareSelect = (order: 'asc' | 'desc') =>
  prepareQuery(AuditEvent, (db, wanted: Caller & PageRange) =>
    trail(db, wanted, order).where(ofCaller({ issuer: wanted.issuer, subject: wanted.subject })),
  );

const select = { asc: prepareSelect('asc'), desc: prepareSelect('desc') };

const prepareSelectOf = (order: 'asc' | 'desc') =>
  prepareQuery(AuditEvent, (db, wanted: PageRange & { readonly account: AccountId }) =>
    trail(db, wanted, order).where('audit_event.account_id', '=', wanted.account),
  );

const selectOf = { asc: prepareSelectOf('asc'), desc: prepareSelectOf('desc') };

/** Reads a page of the trail of any account, newest first. */
export const trailOf = (
  { db }: Pick<OperationContext, 'db'>,
  account: AccountId,
  page: z.output<typeof AuditEventsInput>,
): Promise<Page<AuditEvent>> => readPage(page, (range, order) => selectOf[order](db, { account, ...range }));

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
