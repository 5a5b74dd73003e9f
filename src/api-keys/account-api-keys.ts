import type { Kysely } from 'kysely';
import { z } from 'zod';
import { readAccount } from '../accounts/account.ts';
import { findAccount } from '../accounts/own-account.ts';
import { type Page, PageInput, preparePages } from '../database/page.ts';
import { type AccountId, ApiKey, type Tables } from '../database/tables.ts';
import { operation } from '../operations/operation.ts';
import { type ApiKeyRecord, selectRecords } from './own-api-key.ts';

/** Selects the API keys of an account; none if it is erased. */
export const selectOfAccount = (db: Kysely<Tables>, { id }: { readonly id: number }) =>
  selectRecords(db)
    .where('api_key.account_id', '=', id as AccountId)
    .where('account.erased_at', 'is', null);

const readKeys = preparePages(ApiKey, 'api_key', selectOfAccount);

/**
 * Reads a page of the API keys of any account, newest first.
 * @throws {GatewayError} `BAD_USER_INPUT`; `NOT_FOUND` for an unknown account
 */
export const accountApiKeys = operation(
  PageInput.safeExtend({ id: z.int32() }),
  async (context, { id, ...page }): Promise<Page<ApiKeyRecord>> => {
    await findAccount(context);
    const found = await readKeys(context.db, page, { id });
    if (found.edges.length === 0) await readAccount(context.db, id);
    return found;
  },
);
