import { z } from 'zod';
import { readAccount } from '../accounts/account.ts';
import { findAccount } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type Page, PageInput, type PageRange, readPage } from '../database/page.ts';
import { type AccountId, ApiKey } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { type ApiKeyRecord, quotaColumns } from './own-api-key.ts';

/** The input of {@link accountApiKeys}. */
export const AccountApiKeysInput = PageInput.safeExtend({ id: z.int32() });

const prepareSelect = (order: 'asc' | 'desc') =>
  prepareQuery(ApiKey, (db, { id, floor, ceiling, limit }: PageRange & { readonly id: number }) =>
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
      .where('api_key.account_id', '=', id as AccountId)
      .where('account.erased_at', 'is', null)
      .where('api_key.id', '>', floor)
      .where('api_key.id', '<=', ceiling)
      .orderBy('api_key.id', order)
      .limit(limit)
      .selectAll('api_key')
      .select(quotaColumns),
  );

const select = { asc: prepareSelect('asc'), desc: prepareSelect('desc') };

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
  const found = await readPage(page, (range, order) => select[order](context.db, { id, ...range }));
  if (found.edges.length === 0) await readAccount(context.db, id);
  return found;
}
