import { z } from 'zod';
import type { Organizations } from '../config/values/organizations.ts';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import { badUserInput, GatewayError } from '../errors.ts';
import type { AccountHolder, Caller, OperationContext, Owner } from '../operations/context.ts';
import { accountBlocked, accountNotFound, ensureMember, person } from './own-account.ts';

const accountNumber = /^(?:0|-?[1-9]\d*)$/;

/** @throws {GatewayError} `BAD_USER_INPUT` */
function readNumber(text: string): AccountId {
  const number = z.int32().safeParse(accountNumber.test(text) ? Number(text) : undefined);
  if (number.success) return number.data as AccountId;
  throw badUserInput([
    {
      path: ['header', 'keyward-account'],
      message: 'Must be the id of an account: a decimal integer.',
      type: 'int_parsing',
    },
  ]);
}

interface Wanted extends AccountHolder {
  /** The account that a request names by its number. */
  readonly id: AccountId;
  /** The organisation that a request names; empty: none. */
  readonly organization: string;
}

const selectAccounts = prepareQuery(Account, (db, wanted: Wanted) =>
  db
    .selectFrom('account')
    .select(['id', 'issuer', 'subject', 'kind', 'blocked_at'])
    .where('erased_at', 'is', null)
    .where(({ and, eb, or }) =>
      or([
        eb('id', '=', wanted.id),
        and([
          eb('issuer', '=', wanted.issuer),
          eb('subject', '=', wanted.subject),
          eb('kind', '=', wanted.kind),
        ]),
        and([
          eb('issuer', '=', wanted.issuer),
          eb('subject', '=', wanted.organization),
          eb('kind', '=', 'organization'),
        ]),
      ]),
    ),
);

/** No account has this number. */
const noNumber = -1 as AccountId;

/** Who asks to act for somebody. */
interface Acting {
  readonly db: OperationContext['db'];
  readonly caller: Caller;
  /** Whether the caller may act for others. */
  readonly mayAct: boolean;
  /** The organisations that the caller belongs to. */
  readonly organizations: Organizations;
  /** The id of the account, as the request has it; undefined: it names none. */
  readonly account: string | undefined;
  /** The id of the organisation, as the request has it; undefined: it names none. */
  readonly organization: string | undefined;
}

/** The owner of an account that a server acts for, or of one that a member of an organisation acts for. */
export type ActedFor = Pick<OperationContext, 'actingFor' | 'member'> & {
  readonly owner: Owner;
  /** The account, if there is one. */
  readonly account: AccountId | undefined;
  /** The member's own account, if there is one. */
  readonly memberId?: AccountId | undefined;
};

/** An account, by its holder. */
type Found = Awaited<ReturnType<typeof selectAccounts>>[number];

/** The error for an organisation that the caller does not belong to, or that nobody knows. */
const organizationNotFound = () =>
  new GatewayError('NOT_FOUND', 'Organization not found: the access token does not name it');

/**
 * Lets a person act for an organisation that their token names.
 * @param own the person's own account, if there is one
 * @param account the organisation's account, if there is one
 * @throws {GatewayError} `FORBIDDEN` if the organisation is blocked
 */
function asMember(
  { caller, organizations }: Acting,
  id: string,
  own: Found | undefined,
  account: Found | undefined,
): ActedFor {
  const organization = organizations.get(id);
  if (!organization) throw organizationNotFound();
  // Whoever may see nothing gets no further, and learns nothing of the account.
  if (account?.blockedAt && organization.role !== null) throw accountBlocked(account.id);
  return {
    owner: { issuer: caller.issuer, subject: id, kind: 'organization' } as Owner,
    member: { ...organization, id, ensureAccount: ensureMember },
    account: account?.id,
    memberId: own?.id,
  };
}

/** Lets a server act for an account; undefined if it is its own. */
function byNumber(acting: Acting, own: Found | undefined, wanted: Found | undefined): ActedFor | undefined {
  const { caller, mayAct, organizations } = acting;
  if (wanted && wanted.id === own?.id) return undefined;
  const isMembers =
    !mayAct &&
    wanted?.kind === 'organization' &&
    wanted.issuer === caller.issuer &&
    organizations.has(wanted.subject);
  if (!isMembers && !mayAct) throw accountNotFound();
  if (own?.blockedAt) throw accountBlocked(own.id);
  if (!wanted) throw accountNotFound();
  if (isMembers) return asMember(acting, wanted.subject, own, wanted);
  if (wanted.blockedAt) throw accountBlocked(wanted.id);
  const { id, issuer, subject, kind } = wanted;
  return { owner: { issuer, subject, kind } as Owner, actingFor: id, account: id };
}

/**
 * Decides whether a caller may act for the account or the organisation that a request names. Nothing else decides it.
 * @returns undefined if it is the caller's own account, so that the request is like one that names none
 * @throws {GatewayError} `BAD_REQUEST` if it names both; `BAD_USER_INPUT` for what is no id of an account; `FORBIDDEN` if
 *   the caller or the account is blocked; `NOT_FOUND` for any
 *   other account or organisation that the caller may not act for, whether it exists or not
 */
export async function actFor(acting: Acting): Promise<ActedFor | undefined> {
  const { db, caller, account, organization } = acting;
  if (account !== undefined && organization !== undefined)
    throw new GatewayError('BAD_REQUEST', 'Send Keyward-Account or Keyward-Organization, not both');
  const id = account === undefined ? noNumber : readNumber(account);
  if (organization !== undefined && !acting.organizations.has(organization)) throw organizationNotFound();
  const found = await selectAccounts(db, { ...person(caller), id, organization: organization ?? '' });
  const own = found.find(
    ({ issuer, subject, kind }) =>
      issuer === caller.issuer && subject === caller.subject && kind === 'person',
  );
  if (organization === undefined)
    return byNumber(
      acting,
      own,
      found.find((each) => each.id === id),
    );
  if (own?.blockedAt) throw accountBlocked(own.id);
  const theirs = found.find(
    ({ issuer, subject, kind }) =>
      issuer === caller.issuer && subject === organization && kind === 'organization',
  );
  return asMember(acting, organization, own, theirs);
}
