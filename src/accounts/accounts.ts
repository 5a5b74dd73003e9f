import { sql } from 'kysely';
import { z } from 'zod';
import { beginsWith } from '../database/conditions.ts';
import { prepareQuery } from '../database/db.ts';
import { type Page, PageInput, type PageRange, readPage } from '../database/page.ts';
import { Account } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { atMostLong, parseInput } from '../operations/input.ts';
import { type AccountRecord, longestName, selectAccountRecords } from './account-record.ts';
import { findAccount } from './own-account.ts';

/** The input of {@link accounts}. */
export const AccountsInput = PageInput.safeExtend({
  filter: atMostLong(z.string(), longestName).nullish(),
  isBlocked: z.boolean().nullish(),
});

interface AccountsWanted extends PageRange {
  /** The two requested states, which may be equal: then only accounts in this state match. */
  readonly state: boolean;
  readonly otherState: boolean;
}

const select = (order: 'asc' | 'desc') => {
  const build = (db: Parameters<typeof selectAccountRecords>[0], wanted: AccountsWanted) =>
    selectAccountRecords(db)
      .where(sql<boolean>`(account.blocked_at is not null)`, 'in', [wanted.state, wanted.otherState])
      .where('account.id', '>', wanted.floor as Account['id'])
      .where('account.id', '<=', wanted.ceiling as Account['id'])
      .orderBy('account.id', order)
      .limit(wanted.limit);
  return {
    all: prepareQuery(Account, build),
    // A separate query for a filter: without one, the index of subjects would only slow the query down.
    filtered: prepareQuery(Account, (db, wanted: AccountsWanted & { filter: string; end: string }) =>
      build(db, wanted).where(beginsWith(db, 'account.subject', wanted)),
    ),
  };
};

const selects = { asc: select('asc'), desc: select('desc') };

/**
 * Reads a page of all accounts, newest first.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function accounts(
  context: OperationContext,
  input: z.input<typeof AccountsInput>,
): Promise<Page<AccountRecord>> {
  const { filter, isBlocked, ...page } = parseInput(AccountsInput, input);
  await findAccount(context);
  const states = { state: isBlocked ?? true, otherState: isBlocked ?? false };
  return readPage(page, (range, order) => {
    const wanted = { ...range, ...states };
    return filter
      ? selects[order].filtered(context.db, { ...wanted, filter, end: `${filter}\u{10ffff}` })
      : selects[order].all(context.db, wanted);
  });
}
