import { z } from 'zod';
import { findAccount, ofCaller } from '../accounts/own-account.ts';
import { type Page, PageInput, pageSize, preparePages } from '../database/page.ts';
import { ApiKey } from '../database/tables.ts';
import type { Caller } from '../operations/context.ts';
import { operation } from '../operations/operation.ts';
import { type ApiKeyRecord, selectRecords } from './own-api-key.ts';

interface KeysWanted extends Caller {
  /** The two requested states, which may be equal: then only keys in this state match. */
  readonly state: boolean;
  readonly otherState: boolean;
}

const readKeys = preparePages(ApiKey, 'api_key', (db, { issuer, subject, state, otherState }: KeysWanted) =>
  selectRecords(db)
    .where(ofCaller({ issuer, subject }))
    .where('api_key.is_active', 'in', [state, otherState]),
);

/**
 * Reads a page of the caller's API keys, newest first. Without `isActive`, the page includes inactive keys.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const apiKeys = operation(
  PageInput.safeExtend({ isActive: z.boolean().nullish() }),
  async (context, { isActive, ...page }): Promise<Page<ApiKeyRecord>> => {
    const { caller, db, wholeLists } = context;
    const wanted = { ...caller, state: isActive ?? true, otherState: isActive ?? false };
    const size = wholeLists ? Number.POSITIVE_INFINITY : pageSize;
    const found = await readKeys(db, page, wanted, size);
    if (found.edges.length === 0) await findAccount(context);
    return found;
  },
);
