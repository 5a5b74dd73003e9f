import { apiKey } from '../../api-keys/api-key.ts';
import { deactivateApiKey } from '../../api-keys/deactivate-api-key.ts';
import { noPause } from '../../api-keys/pause.ts';
import { readKept } from '../../api-keys/verify/kept-record.ts';
import { describeGrant } from '../../api-keys/verify/verify-api-key.ts';
import { checkSecret, type FoundKey } from '../../api-keys/verify/verify-secret.ts';
import { prepareQuery } from '../../database/db.ts';
import { Account, type AccountId } from '../../database/tables.ts';
import { serviceUnavailable } from '../../errors.ts';
import type { OperationContext, Owner } from '../../operations/context.ts';

const selectOwner = prepareQuery(Account, (db, { account }: { account: AccountId }) =>
  db.selectFrom('account').where('id', '=', account).select(['issuer', 'subject', 'kind']),
);

/**
 * Finds the API key of a secret for a request of the key itself. This does not count towards the key's limits.
 * @returns the reason of the refusal, or the key's operations on itself
 */
export async function apiKeyItself(context: Omit<OperationContext, 'caller' | 'owner'>, secret: string) {
  const { address } = context.requestSource;
  const { reason, found, entitlement, limits } = await checkSecret(context, {
    secret,
    permissions: [],
    address,
  });
  if (reason !== null || !found || !entitlement) return reason ?? 'not_found';
  const grant = describeGrant(found, entitlement, limits);
  if (found.staleSince !== undefined) return whileAway(found, grant);
  const [owner] = await selectOwner(context.db, found);
  if (!owner) return 'not_found';
  const requestSource = { ...context.requestSource, isKeyItself: true };
  const asOwner: OperationContext = { ...context, caller: owner, owner: owner as Owner, requestSource };
  const input = { keyId: found.id };
  return {
    id: found.id,
    isStale: false,
    /** What the key may do, within what its account may have. */
    grant,
    /** Reads the key's own record. */
    read: (within = asOwner) => apiKey(within, input),
    /**
     * Deactivates the key; the audit trail names the key as the actor.
     * @throws {GatewayError} `PRECONDITION_FAILED`
     */
    deactivate: (precondition: OperationContext['precondition']) =>
      deactivateApiKey(precondition ? { ...asOwner, precondition } : asOwner, input),
  };
}

/**
 * The operations of a key on itself while the database is away: it reads its record as it was found, and changes
 * nothing.
 */
const whileAway = (found: FoundKey, grant: ReturnType<typeof describeGrant>) => ({
  id: found.id,
  isStale: true,
  grant,
  read: async () => ({ ...found, ...readKept(found.kept ?? ''), deactivatedAt: null, ...noPause }),
  deactivate: async () => {
    throw serviceUnavailable('database-away');
  },
});
