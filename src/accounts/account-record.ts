import type { Kysely } from 'kysely';
import { UnexpectedValueError } from '../database/failures.ts';
import type { Account, AccountId, AccountKind, Tables } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';
import { longestReason, mostTextBytes } from '../operations/input.ts';

/** An account as operators see it, with the numbers of its API keys. */
export interface AccountRecord extends Account {
  /** The number of the account's API keys, in any state. */
  readonly apiKeyCount: number;
  /** The number of the account's active API keys. */
  readonly activeApiKeyCount: number;
}

/**
 * Reads whose account it is.
 * @param kind undefined in an answer to an `Idempotency-Key` that was stored before there were organisations
 * @throws {UnexpectedValueError} for any other value than those that this service writes
 */
export function kindOf(kind: string | undefined): AccountKind {
  if (kind === undefined || kind === 'person') return 'person';
  if (kind === 'organization') return kind;
  throw new UnexpectedValueError('account.kind', kind);
}

/** The id of the organisation that holds an account; null: a person holds it. */
export const organizationOf = ({ kind, subject }: Pick<Account, 'kind' | 'subject'>): string | null =>
  kindOf(kind) === 'organization' ? subject : null;

/** The most characters of a subject (OpenID Connect Core, section 2), and of an issuer. */
export const longestName = 255;

/** The most bytes of an account's texts, as JSON. */
export const mostBytesOf = {
  issuer: mostTextBytes(longestName),
  subject: mostTextBytes(longestName),
  kind: '"organization"'.length,
  blockReason: mostTextBytes(longestReason),
} as const;

/** Selects accounts with the numbers of their API keys. */
export const selectAccountRecords = (db: Kysely<Tables>) =>
  db
    .selectFrom('account')
    .selectAll('account')
    .select(({ cast, fn, lit, selectFrom }) => {
      // The API keys of an erased account do not count: the background removes them.
      const keys = selectFrom('api_key')
        .whereRef('api_key.account_id', '=', 'account.id')
        .where('account.erased_at' as never, 'is', null);
      const count = cast<number>(fn.countAll(), 'integer').as('count');
      return [
        keys.select(count).$asScalar().$notNull().as('apiKeyCount'),
        // A literal: with a parameter, SQLite could not see that the index of active keys has all of them.
        keys
          .where('api_key.is_active', '=', lit(true))
          .select(count)
          .$asScalar()
          .$notNull()
          .as('activeApiKeyCount'),
      ];
    });

/**
 * Prevents operators from locking themselves out.
 * @throws {GatewayError} `CONFLICT` if the account is the operator's own
 */
export function assertOther(id: number, operator: AccountId | undefined): void {
  if (id === operator) throw new GatewayError('CONFLICT', 'This account is your own');
}

/**
 * Refuses an erased account.
 * @throws {GatewayError} `CONFLICT` if the account is erased
 */
export function assertNotErased({ erasedAt }: Pick<Account, 'erasedAt'>): void {
  if (erasedAt) throw new GatewayError('CONFLICT', 'This account was erased');
}
