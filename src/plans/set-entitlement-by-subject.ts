import { z } from 'zod';
import { createAccount, selectAccount } from '../accounts/own-account.ts';
import type { AccountId } from '../database/tables.ts';
import { badUserInput } from '../errors.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import { atMostLong } from '../operations/input.ts';
import { change } from '../operations/operation.ts';
import type { EntitlementRecord } from './entitlement.ts';
import { changeEntitlement, granted } from './set-entitlement.ts';

const name = atMostLong(z.string().min(1, 'Must not be empty.'), 255);

/** Finds the account, or creates it; two concurrent calls get the same one. */
async function idOf(context: OperationContext, owner: Caller): Promise<AccountId> {
  const [found] = await selectAccount(context.db, owner);
  return found?.id ?? (await createAccount(context, owner)) ?? idOf(context, owner);
}

/**
 * Sets the plan and the overrides of a person whom an identity provider knows, and creates the account if it is
 * missing: the provider may say what somebody may have before they call for the first time.
 * @throws {GatewayError} like {@link setEntitlement}; `BAD_USER_INPUT` also for an issuer that is not trusted
 */
export const setEntitlementBySubject = change(
  z.object({ issuer: name, subject: name, ...granted }),
  async (context, { issuer, subject, ...given }): Promise<EntitlementRecord> => {
    const { issuers } = context.services.settings;
    if (issuers.length > 0 && !issuers.some((each) => each.issuer === issuer))
      throw badUserInput([
        {
          path: ['issuer'],
          message: 'Must be an issuer in AUTH_ISSUER or AUTH_ISSUERS.',
          type: 'value_error',
        },
      ]);
    return changeEntitlement(context, () => idOf(context, { issuer, subject }), given);
  },
);
