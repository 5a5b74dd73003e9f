import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { findAccount, ofOwner } from '../accounts/own-account.ts';
import { rarely } from '../database/conditions.ts';
import { type Page, PageInput, preparePages } from '../database/page.ts';
import { type AccountId, AuditEvent, type Tables } from '../database/tables.ts';
import type { Change } from '../observability/events.ts';
import { longestKept, mostDetails } from '../operations/changes.ts';
import type { Owner } from '../operations/context.ts';
import { atMostLong, longestReason, mostTextBytes } from '../operations/input.ts';
import { operation } from '../operations/operation.ts';

export type { Change };
export { longestKept, mostDetails };

/** The most bytes of an operator's reason, as JSON. */
export const mostReasonBytes = mostTextBytes(longestReason);

/** The most bytes of a server's name, or of `sub (iss)` of its access tokens, as JSON. */
export const mostServerBytes = mostTextBytes(255 + 255 + ' ()'.length);

/** Selects events, joined with their accounts. */
const selectEvents = (db: Kysely<Tables>) =>
  db
    .selectFrom('audit_event')
    .innerJoin('account', 'account.id', 'audit_event.account_id')
    .selectAll('audit_event');

type Wanted = Owner & { readonly keyId: number; readonly action: string };

type Condition = (db: Kysely<Tables>, wanted: Wanted) => Expression<SqlBool>;

const ofKey: Condition = (db, { keyId }) => rarely(db, sql`audit_event.target = ${keyId}`);

// They have ids too.
const notOfEndpoints: Condition = () => sql`audit_event.action not like 'webhook-%'`;

const ofAction: Condition = (db, { action }) => rarely(db, sql`audit_event.action = ${action}`);

/** Prepares a list of its own for each choice of conditions, so that each uses its index. */
const prepareOwn = (...conditions: readonly Condition[]) =>
  preparePages(AuditEvent, 'audit_event', (db, wanted: Wanted) =>
    conditions.reduce(
      (events, condition) => events.where(condition(db, wanted)),
      selectEvents(db).where(ofOwner(wanted)),
    ),
  );

const readAll = prepareOwn();
const readOfKey = prepareOwn(ofKey, notOfEndpoints);
const readOfAction = prepareOwn(ofAction);
const readOfBoth = prepareOwn(ofKey, notOfEndpoints, ofAction);

/** Reads a page of the trail of any account, newest first. */
export const readTrailOf = preparePages(
  AuditEvent,
  'audit_event',
  (db, { account }: { readonly account: AccountId }) =>
    selectEvents(db).where('audit_event.account_id', '=', account),
);

/**
 * Reads a page of the caller's audit trail, newest first: the changes to the caller's own account, and the caller's
 * actions as an operator. With a key or an action, only their events.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const auditEvents = operation(
  PageInput.safeExtend({
    keyId: z.int32().nullish(),
    action: atMostLong(z.string(), 100).nullish(),
  }),
  async (context, { keyId, action, ...page }): Promise<Page<AuditEvent>> => {
    const { owner, db } = context;
    const readOwn =
      keyId == null ? (action == null ? readAll : readOfAction) : action == null ? readOfKey : readOfBoth;
    const found = await readOwn(db, page, { ...owner, keyId: keyId ?? 0, action: action ?? '' });
    if (found.edges.length === 0) await findAccount(context);
    return found;
  },
);

/** The changes that an event records. */
export const changesIn = ({ details }: AuditEvent): Change[] => JSON.parse(details ?? '[]');
