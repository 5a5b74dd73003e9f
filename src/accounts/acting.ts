import { z } from 'zod';
import { prepareQuery } from '../database/db.ts';
import { Account, type AccountId } from '../database/tables.ts';
import { badUserInput } from '../errors.ts';
import type { Caller, OperationContext, Owner } from '../operations/context.ts';
import { accountBlocked, accountNotFound } from './own-account.ts';

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

const selectAccounts = prepareQuery(Account, (db, { issuer, subject, id }: Caller & { id: AccountId }) =>
  db
    .selectFrom('account')
    .select(['id', 'issuer', 'subject', 'blocked_at'])
    .where('erased_at', 'is', null)
    .where(({ and, eb, or }) =>
      or([eb('id', '=', id), and([eb('issuer', '=', issuer), eb('subject', '=', subject)])]),
    ),
);

/** Who asks to act for somebody. */
interface Acting {
  readonly db: OperationContext['db'];
  readonly caller: Caller;
  /** Whether the caller may act for others. */
  readonly mayAct: boolean;
  /** The id of the account, as the request has it. */
  readonly account: string;
}

/** The owner of an account that a server acts for. */
export type ActedFor = Required<Pick<OperationContext, 'owner' | 'actingFor'>>;

/**
 * Decides whether a caller may act for the account that a request names. Nothing else decides it.
 * @returns undefined if it is the caller's own account, so that the request is like one that names none
 * @throws {GatewayError} `BAD_USER_INPUT` for what is no id; `FORBIDDEN` if the caller or the account is blocked;
 *   `NOT_FOUND` for any other account that the caller may not act for, whether it exists or not
 */
export async function actFor({ db, caller, mayAct, account }: Acting): Promise<ActedFor | undefined> {
  const id = readNumber(account);
  const found = await selectAccounts(db, { ...caller, id });
  const own = found.find(({ issuer, subject }) => issuer === caller.issuer && subject === caller.subject);
  if (own?.id === id) return undefined;
  const wanted = found.find((each) => each.id === id);
  if (!mayAct) throw accountNotFound();
  if (own?.blockedAt) throw accountBlocked(own.id);
  if (!wanted) throw accountNotFound();
  if (wanted.blockedAt) throw accountBlocked(wanted.id);
  const { issuer, subject } = wanted;
  return { owner: { issuer, subject } as Owner, actingFor: wanted.id };
}
