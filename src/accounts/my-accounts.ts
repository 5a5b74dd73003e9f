import { z } from 'zod';
import type { OrganizationRole } from '../config/values/organizations.ts';
import { listOf } from '../database/conditions.ts';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId, type AccountKind } from '../database/tables.ts';
import type { AccountHolder, OperationContext } from '../operations/context.ts';
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

interface Wanted extends AccountHolder {
  /** The ids of organisations, as a JSON array. */
  readonly organizations: string;
}

const selectAccounts = prepareQuery(Account, (db, wanted: Wanted) =>
  db
    .selectFrom('account')
    .select(['id', 'subject', 'kind', 'blocked_at'])
    .where('issuer', '=', wanted.issuer)
    .where(({ and, eb, or, selectFrom }) =>
      or([
        and([eb('subject', '=', wanted.subject), eb('kind', '=', wanted.kind)]),
        and([
          eb('kind', '=', 'organization'),
          eb(
            'subject',
            'in',
            selectFrom(listOf(db, wanted.organizations).as('listed')).select('listed.value'),
          ),
        ]),
      ]),
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
  const found = await selectAccounts(db, { ...owner, organizations: JSON.stringify(ids) });
  const own = found.find(({ kind }) => kind === 'person');
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
