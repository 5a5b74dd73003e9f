import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { beginsWith } from '../database/conditions.ts';
import { type Page, PageInput, preparePages } from '../database/page.ts';
import { Account, type Tables } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { atMostLong, parseInput } from '../operations/input.ts';
import { type AccountRecord, longestName, selectAccountRecords } from './account-record.ts';
import { findAccount } from './own-account.ts';

/** The input of {@link accounts}. */
export const AccountsInput = PageInput.safeExtend({
  filter: atMostLong(z.string(), longestName).nullish(),
  isBlocked: z.boolean().nullish(),
});

interface AccountsWanted {
  /** The two requested states, which may be equal: then only accounts in this state match. */
  readonly state: boolean;
  readonly otherState: boolean;
}

const selectWanted = (db: Kysely<Tables>, { state, otherState }: AccountsWanted) =>
  selectAccountRecords(db).where(sql<boolean>`(account.blocked_at is not null)`, 'in', [state, otherState]);

const readAll = preparePages(Account, 'account', selectWanted);

// A separate query for a filter: without one, the index of subjects would only slow the query down.
const readFiltered = preparePages(
  Account,
  'account',
  (db, wanted: AccountsWanted & { readonly filter: string; readonly end: string }) =>
    selectWanted(db, wanted).where(beginsWith(db, 'account.subject', wanted)),
);

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
  const wanted = { state: isBlocked ?? true, otherState: isBlocked ?? false };
  return filter
    ? readFiltered(context.db, page, { ...wanted, filter, end: `${filter}\u{10ffff}` })
    : readAll(context.db, page, wanted);
}
