import { z } from 'zod';
import { isOrganizationId } from '../config/values/organizations.ts';
import type { AccountId } from '../database/tables.ts';
import { badUserInput } from '../errors.ts';
import type { AccountHolder, OperationContext } from '../operations/context.ts';
import { atMostLong } from '../operations/input.ts';
import { createAccount, selectAccount } from './own-account.ts';

const name = atMostLong(z.string().min(1, 'Must not be empty.'), 255);

const organizationId = z
  .string()
  .refine(isOrganizationId, 'Must be 1 to 255 visible ASCII characters, perhaps with spaces between them.')
  .meta({ maxLength: 255, pattern: '^[!-~](?:[ -~]*[!-~])?$' });

/**
 * The members of an input that name a person as an identity provider does, `iss` and `sub` of the access tokens; or one
 * of its organisations.
 */
export const named = { issuer: name, subject: name.nullish(), organization: organizationId.nullish() };

interface Named {
  readonly issuer: string;
  readonly subject?: string | null | undefined;
  readonly organization?: string | null | undefined;
}

/** The arguments of zod's `refine` for an input with {@link named}, which must name one of both. */
export const namesOne: readonly [
  (given: Named) => boolean,
  { path: string[]; message: string; params: { type: string } },
] = [
  ({ subject, organization }) => (subject == null) !== (organization == null),
  { path: ['subject'], message: 'Give either subject or organization.', params: { type: 'missing' } },
];

/** The holder that an input names. */
export const holderOf = ({ issuer, subject, organization }: Named): AccountHolder => ({
  issuer,
  subject: organization ?? subject ?? '',
  kind: organization == null ? 'person' : 'organization',
});

/** Finds an account, or creates it; two concurrent calls get the same one. */
async function findOrCreate(context: OperationContext, owner: AccountHolder): Promise<AccountId> {
  const [found] = await selectAccount(context.db, owner);
  return found?.id ?? (await createAccount(context, owner)) ?? findOrCreate(context, owner);
}

/**
 * Returns the account of a person whom an identity provider knows, blocked or not, and creates it if it is missing: a
 * provider may prepare an account before the person calls for the first time.
 * @param context the context of a transaction
 * @throws {GatewayError} `BAD_USER_INPUT` for an issuer that is not trusted
 */
export async function ensureNamedAccount(
  context: OperationContext,
  owner: AccountHolder,
): Promise<AccountId> {
  const { issuers } = context.services.settings;
  if (issuers.length > 0 && !issuers.some((each) => each.issuer === owner.issuer))
    throw badUserInput([
      { path: ['issuer'], message: 'Must be an issuer in AUTH_ISSUER or AUTH_ISSUERS.', type: 'value_error' },
    ]);
  return findOrCreate(context, owner);
}
