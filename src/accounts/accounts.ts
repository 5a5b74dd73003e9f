import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { contains, type States, statesOf } from '../database/conditions.ts';
import { type Page, PageInput, preparePages, prepareSearch } from '../database/page.ts';
import { Account, type Tables } from '../database/tables.ts';
import { atMostLong } from '../operations/input.ts';
import { operation } from '../operations/operation.ts';
import { type AccountRecord, longestName, selectAccountRecords } from './account-record.ts';
import { findAccount } from './own-account.ts';

const selectWanted = (db: Kysely<Tables>, { state, otherState }: States) =>
  selectAccountRecords(db).where(sql<boolean>`(account.blocked_at is not null)`, 'in', [state, otherState]);

const readAll = preparePages(Account, 'account', selectWanted);

const readMatching = prepareSearch(Account, 'account', (db, wanted: States & { readonly filter: string }) =>
  selectWanted(db, wanted).where(contains(db, 'account.subject', wanted)),
);

/**
 * Reads a page of all accounts, newest first.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const accounts = operation(
  PageInput.safeExtend({
    filter: atMostLong(z.string(), longestName).nullish(),
    isBlocked: z.boolean().nullish(),
  }),
  async (context, { filter, isBlocked, ...page }): Promise<Page<AccountRecord>> => {
    await findAccount(context);
    const wanted = statesOf(isBlocked);
    return filter ? readMatching(context.db, page, { ...wanted, filter }) : readAll(context.db, page, wanted);
  },
);
