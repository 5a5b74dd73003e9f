import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { apiKey } from './api-key.ts';
import { deactivateApiKey } from './deactivate-api-key.ts';
import { checkSecret, type VerificationFailure } from './verify-secret.ts';

const selectOwner = prepareQuery(Account, (db, { account }: { account: AccountId }) =>
  db.selectFrom('account').where('id', '=', account).select(['issuer', 'subject']),
);

/** What an API key may do with itself, and with nothing else. */
export interface ApiKeyItself {
  readonly id: number;
  readonly account: AccountId;
  /** Its own record. */
  readonly read: (context?: OperationContext) => ReturnType<typeof apiKey>;
  /**
   * Deactivates it; the audit trail tells that the key did it.
   * @throws {GatewayError} `PRECONDITION_FAILED`
   */
  readonly deactivate: (
    precondition: OperationContext['precondition'],
  ) => ReturnType<typeof deactivateApiKey>;
}

/**
 * An API key that asks about itself, by its secret. It uses nothing of the key's limits.
 * @returns why the secret lets nobody in, or what it opens
 */
export async function apiKeyItself(
  context: Omit<OperationContext, 'caller'>,
  secret: string,
): Promise<ApiKeyItself | VerificationFailure> {
  const { address } = context.requestSource;
  const { reason, found } = await checkSecret(context, { secret, permissions: [], address }, new Date());
  const [caller] = found ? await selectOwner(context.db, found) : [];
  if (reason !== null || !found || !caller) return reason ?? 'not_found';
  const requestSource = { ...context.requestSource, isKeyItself: true };
  const asOwner: OperationContext = { ...context, caller, requestSource };
  const input = { keyId: found.id };
  return {
    id: found.id,
    account: found.account,
    read: (within = asOwner) => apiKey(within, input),
    deactivate: (precondition) =>
      deactivateApiKey(precondition ? { ...asOwner, precondition } : asOwner, input),
  };
}
