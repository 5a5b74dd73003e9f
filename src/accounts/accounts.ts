import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { contains } from '../database/conditions.ts';
import { type Page, PageInput, preparePages, prepareSearch } from '../database/page.ts';
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

const readMatching = prepareSearch(
  Account,
  'account',
  (db, wanted: AccountsWanted & { readonly filter: string }) =>
    selectWanted(db, wanted).where(contains(db, 'account.subject', wanted)),
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
  return filter ? readMatching(context.db, page, { ...wanted, filter }) : readAll(context.db, page, wanted);
}
