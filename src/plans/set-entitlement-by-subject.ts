import { z } from 'zod';
import { ensureNamedAccount, named } from '../accounts/named-account.ts';
import { change } from '../operations/operation.ts';
import type { EntitlementRecord } from './entitlement.ts';
import { changeEntitlement, granted } from './set-entitlement.ts';

/**
 * Sets the plan and the overrides of a person whom an identity provider knows, and creates the account if it is
 * missing: the provider may say what somebody may have before they call for the first time.
 * @throws {GatewayError} like {@link setEntitlement}; `BAD_USER_INPUT` also for an issuer that is not trusted
 */
export const setEntitlementBySubject = change(
  z.object({ ...named, ...granted }),
  async (context, { issuer, subject, ...given }): Promise<EntitlementRecord> =>
    changeEntitlement(context, () => ensureNamedAccount(context, { issuer, subject }), given),
);
