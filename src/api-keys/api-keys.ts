import { z } from 'zod';
import { findAccount, ofCaller } from '../accounts/own-account.ts';
import { prepareQuery } from '../database/db.ts';
import { type Page, PageInput, type PageRange, pageSize, readPage } from '../database/page.ts';
import { ApiKey } from '../database/tables.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import { parseInput } from '../operations/input.ts';
import { type ApiKeyRecord, quotaColumns } from './own-api-key.ts';

/** The input of {@link apiKeys}. */
export const ApiKeysInput = PageInput.safeExtend({ isActive: z.boolean().nullish() });

interface KeysWanted extends Caller, PageRange {
  /** The two requested states, which may be equal: then only keys in this state match. */
  readonly state: boolean;
  readonly otherState: boolean;
}

const prepareSelect = (order: 'asc' | 'desc') =>
  prepareQuery(ApiKey, (db, { issuer, subject, state, otherState, floor, ceiling, limit }: KeysWanted) =>
    db
      .selectFrom('api_key')
      .innerJoin('account', 'account.id', 'api_key.account_id')
      .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
      .where(ofCaller({ issuer, subject }))
      .where('api_key.is_active', 'in', [state, otherState])
      .where('api_key.id', '>', floor)
      .where('api_key.id', '<=', ceiling)
      .orderBy('api_key.id', order)
      .limit(limit)
      .selectAll('api_key')
      .select(quotaColumns),
  );

const select = { asc: prepareSelect('asc'), desc: prepareSelect('desc') };

/**
 * Reads a page of the caller's API keys, newest first. Without `isActive`, the page includes inactive keys.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export async function apiKeys(
  context: OperationContext,
  input: z.input<typeof ApiKeysInput>,
): Promise<Page<ApiKeyRecord>> {
  const { caller, db, wholeLists } = context;
  const { isActive, ...page } = parseInput(ApiKeysInput, input);
  const asked = { ...caller, state: isActive ?? true, otherState: isActive ?? false };
  const size = wholeLists ? Number.POSITIVE_INFINITY : pageSize;
  const found = await readPage(page, (range, order) => select[order](db, { ...asked, ...range }), size);
  if (found.edges.length === 0) await findAccount(context);
  return found;
}
