import { z } from 'zod';
import { findAccount, ofOwner } from '../accounts/own-account.ts';
import { type States, statesOf } from '../database/conditions.ts';
import { type Page, PageInput, pageSize, preparePages } from '../database/page.ts';
import { ApiKey } from '../database/tables.ts';
import type { Owner } from '../operations/context.ts';
import { operation } from '../operations/operation.ts';
import { type ApiKeyRecord, selectRecords } from './own-api-key.ts';

const readKeys = preparePages(ApiKey, 'api_key', (db, wanted: Owner & States) =>
  selectRecords(db)
    .where(ofOwner(wanted))
    .where('api_key.is_active', 'in', [wanted.state, wanted.otherState]),
);

/**
 * Reads a page of the caller's API keys, newest first. Without `isActive`, the page includes inactive keys.
 * @throws {GatewayError} `BAD_USER_INPUT`
 */
export const apiKeys = operation(
  PageInput.safeExtend({ isActive: z.boolean().nullish() }),
  async (context, { isActive, ...page }): Promise<Page<ApiKeyRecord>> => {
    const { owner, db, wholeLists } = context;
    const wanted = { ...owner, ...statesOf(isActive) };
    const size = wholeLists ? Number.POSITIVE_INFINITY : pageSize;
    const found = await readKeys(db, page, wanted, size);
    if (found.edges.length === 0) await findAccount(context);
    return found;
  },
);
