import { z } from 'zod';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import { serviceUnavailable } from '../errors.ts';
import { change } from '../operations/operation.ts';
import { ensureNamedAccount, holderOf, named, namesOne } from './named-account.ts';
import { findAccount } from './own-account.ts';

/** What a server of the provider learns of an account. */
export interface AccountReference extends Pick<Account, 'issuer' | 'subject' | 'kind' | 'createdAt'> {
  readonly account: AccountId;
  readonly isBlocked: boolean;
}

const selectReference = prepareQuery(Account, (db, { id }: { readonly id: AccountId }) =>
  db
    .selectFrom('account')
    .select(['issuer', 'subject', 'kind', 'created_at', 'blocked_at'])
    .where('id', '=', id)
    .where('erased_at', 'is', null),
);

/**
 * Returns the account of a person or an organisation that an identity provider knows, blocked or not, and creates it if it is missing: a
 * server may act for somebody who has never called.
 * @throws {GatewayError} `BAD_USER_INPUT`, also for an issuer that is not trusted; `FORBIDDEN` if the caller is blocked
 */
export const ensureAccount = change(
  z.object(named).refine(...namesOne),
  async (context, given): Promise<AccountReference> => {
    await findAccount(context);
    const account = await ensureNamedAccount(context, holderOf(given));
    const [found] = await selectReference(context.db, { id: account });
    // It was erased meanwhile; another attempt creates a new one.
    if (!found) throw serviceUnavailable('account-changed');
    const { blockedAt, ...reference } = found;
    return { account, ...reference, isBlocked: blockedAt !== null };
  },
);
