import * as accounts from '../accounts/locks.ts';
import type { CheckOwned } from '../rest/conditions.ts';
import { lockStoredEndpoint } from '../webhooks/sending/stored-endpoints.ts';

/**
 * Runs a check of something that is about to change. The checked state stays as it is until the transaction of the
 * context ends.
 */
export const checkOwned: CheckOwned = async (context, { endpointId, ...changed }, check) => {
  if (endpointId === undefined) return accounts.checkOwned(context, changed, check);
  await lockStoredEndpoint(context.db, endpointId);
  return check();
};
