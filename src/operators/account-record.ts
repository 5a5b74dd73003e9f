import type { Kysely } from 'kysely';
import type { Account, AccountId, Tables } from '../database/tables.ts';
import { GatewayError } from '../errors.ts';

/** An account as operators see it, with how much it has. */
export interface AccountRecord extends Account {
  /** How many API keys it has, whatever their state. */
  readonly apiKeyCount: number;
  /** How many of them are active. */
  readonly activeApiKeyCount: number;
}

/** Selects accounts with how much they have. */
export const recordOf = (db: Kysely<Tables>) =>
  db
    .selectFrom('account')
    .selectAll('account')
    .select(({ cast, fn, lit, selectFrom }) => {
      // Those of an account that was erased are on their way out.
      const keys = selectFrom('api_key')
        .whereRef('api_key.account_id', '=', 'account.id')
        .where('account.erased_at' as never, 'is', null);
      const count = cast<number>(fn.countAll(), 'integer').as('count');
      return [
        keys.select(count).$asScalar().$notNull().as('apiKeyCount'),
        // A literal, so that SQLite sees that the index of active keys has all of them.
        keys
          .where('api_key.is_active', '=', lit(true))
          .select(count)
          .$asScalar()
          .$notNull()
          .as('activeApiKeyCount'),
      ];
    });

/**
 * Keeps operators from shutting themselves out.
 * @throws {GatewayError} `CONFLICT`
 */
export function assertOther(id: number, operator: AccountId): void {
  if (id === operator) throw new GatewayError('CONFLICT', 'This account is your own');
}

/** @throws {GatewayError} `CONFLICT` where there is nobody left to do something to */
export function assertNotErased({ erasedAt }: AccountRecord): void {
  if (erasedAt) throw new GatewayError('CONFLICT', 'This account was erased');
}
