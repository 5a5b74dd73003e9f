import { z } from 'zod';
import { statesOf } from '../database/conditions.ts';
import { type Page, pageInputUpTo, preparePages, strayCursor } from '../database/page.ts';
import { greatestPlace, isOfTwoLists } from '../database/search.ts';
import { Account } from '../database/tables.ts';
import { atMostLong } from '../operations/input.ts';
import { operation } from '../operations/operation.ts';
import { type AccountRecord, longestName } from './account-record.ts';
import { readMatching, selectWanted } from './find-accounts.ts';
import { findAccount } from './own-account.ts';

const readAll = preparePages(Account, 'account', selectWanted);

const AccountsInput = pageInputUpTo(greatestPlace)
  .safeExtend({
    filter: atMostLong(z.string(), longestName).nullish(),
    isBlocked: z.boolean().nullish(),
  })
  .superRefine(({ filter, ...page }, check) => {
    for (const name of ['after', 'before'] as const) {
      const place = page[name];
      if (place != null && isOfTwoLists(place) !== Boolean(filter))
        check.addIssue({ code: 'custom', path: [name], message: strayCursor });
    }
  });

/**
 * Reads a page of all accounts, newest first. With a filter, those whose subject begins with it come first.
 * @throws {GatewayError} `BAD_USER_INPUT`; for a cursor of the list with a filter in the list without one, and the reverse
 */
export const accounts = operation(
  AccountsInput,
  async (context, { filter, isBlocked, ...page }): Promise<Page<AccountRecord>> => {
    await findAccount(context);
    const wanted = statesOf(isBlocked);
    return filter ? readMatching(context.db, page, { ...wanted, filter }) : readAll(context.db, page, wanted);
  },
);
