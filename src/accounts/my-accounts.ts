import { z } from 'zod';
import type { OrganizationRole } from '../config/values/organizations.ts';
import { listOf } from '../database/conditions.ts';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId, type AccountKind } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import { operation } from '../operations/operation.ts';
import { accountBlocked, findAccount } from './own-account.ts';

/** An account that the caller may name in a request. */
export interface MyAccount {
  /** Null while there is no account yet: it is created with the first change. */
  readonly userId: AccountId | null;
  readonly kind: AccountKind;
  /** The organisation's id at the issuer; null for a person. */
  readonly organizationId: string | null;
  /** The organisation's name; null for a person, and if the token does not tell. */
  readonly name: string | null;
  readonly role: OrganizationRole;
}

interface Wanted {
  readonly issuer: string;
  /** The texts by which the issuer names the person and the organisations, as a JSON array. */
  readonly subjects: string;
}

// One list for both: with a choice between two conditions, a database would read all accounts of the issuer.
const selectAccounts = prepareQuery(Account, (db, { issuer, subjects }: Wanted) =>
  db
    .selectFrom('account')
    .select(['id', 'subject', 'kind', 'blocked_at'])
    .where('issuer', '=', issuer)
    .where('subject', 'in', ({ selectFrom }) =>
      selectFrom(listOf(db, subjects).as('listed')).select('listed.value'),
    ),
);

/** The account for which the request is, alone. */
async function onlyOne(context: OperationContext): Promise<MyAccount[]> {
  const { owner, member } = context;
  const userId = (await findAccount(context)) ?? null;
  const { kind, subject } = owner;
  return [
    {
      userId,
      kind,
      organizationId: kind === 'organization' ? subject : null,
      name: member?.name ?? null,
      role: member?.role ?? 'manage',
    },
  ];
}

/**
 * Lists the accounts that the caller may name: their own, then those of the organisations in their access token, by id.
 * Of a request that names one, that one. Writes nothing.
 * @throws {GatewayError} `FORBIDDEN` if the caller is blocked
 */
export const myAccounts = operation(z.object({}), async (context): Promise<MyAccount[]> => {
  const { db, owner, actingFor, member, organizations = new Map() } = context;
  if (actingFor !== undefined || member !== undefined) return onlyOne(context);
  const ids = [...organizations.keys()].toSorted((one, other) => (one < other ? -1 : 1));
  const { issuer, subject: self } = owner;
  const found = await selectAccounts(db, { issuer, subjects: JSON.stringify([self, ...ids]) });
  // An organisation's id may be another person's name, and the other way round.
  const own = found.find(({ kind, subject }) => kind === 'person' && subject === self);
  if (own?.blockedAt) throw accountBlocked(own.id);
  const byId = new Map(
    found.flatMap(({ id, kind, subject }) => (kind === 'organization' ? [[subject, id]] : [])),
  );
  const theirs = ids.flatMap((id): MyAccount[] => {
    const { role = null, name = null } = organizations.get(id) ?? {};
    if (role === null) return [];
    return [{ userId: byId.get(id) ?? null, kind: 'organization', organizationId: id, name, role }];
  });
  const person = { kind: 'person', organizationId: null, name: null, role: 'manage' } as const;
  return [{ userId: own?.id ?? null, ...person }, ...theirs];
});
