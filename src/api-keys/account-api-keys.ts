import type { Kysely } from 'kysely';
import { z } from 'zod';
import { readAccount } from '../accounts/account.ts';
import { findAccount } from '../accounts/own-account.ts';
import { type Page, PageInput, preparePages } from '../database/page.ts';
import { type AccountId, ApiKey, type Tables } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { type ApiKeyRecord, selectRecords } from './own-api-key.ts';

/** The input of {@link accountApiKeys}. */
export const AccountApiKeysInput = PageInput.safeExtend({ id: z.int32() });

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
export async function accountApiKeys(
  context: OperationContext,
  input: z.input<typeof AccountApiKeysInput>,
): Promise<Page<ApiKeyRecord>> {
  const { id, ...page } = parseInput(AccountApiKeysInput, input);
  await findAccount(context);
  const found = await readKeys(context.db, page, { id });
  if (found.edges.length === 0) await readAccount(context.db, id);
  return found;
}
