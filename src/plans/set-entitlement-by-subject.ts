import { z } from 'zod';
import { ensureNamedAccount, holderOf, named, namesOne } from '../accounts/named-account.ts';
import { change } from '../operations/operation.ts';
import type { EntitlementRecord } from './entitlement.ts';
import { changeEntitlement, granted } from './set-entitlement.ts';

/**
 * Sets the plan and the overrides of a person or an organisation that an identity provider knows, and creates the account if it is
 * missing: the provider may say what somebody may have before they call for the first time.
 * @throws {GatewayError} like {@link setEntitlement}; `BAD_USER_INPUT` also for an issuer that is not trusted
 */
export const setEntitlementBySubject = change(
  z.object({ ...named, ...granted }).refine(...namesOne),
  async (context, { issuer, subject, organization, ...given }): Promise<EntitlementRecord> => {
    const holder = holderOf({ issuer, subject, organization });
    return changeEntitlement(context, () => ensureNamedAccount(context, holder), given);
  },
);
