// The rows of an erased account belong to nobody from the moment of the erasure: no operation finds its API keys, and its
// owner is a stranger to every one. The rows are removed afterwards, in batches: there may be a million of them, and on
// SQLite all other writers wait for each statement. If a process ends in the middle, the next one continues.

import { type Kysely, sql } from 'kysely';
import { cleanUp, cleanUpBatch } from '../database/clean-up.ts';
import { forUpdate, tryLock } from '../database/conditions.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import {
  Account,
  type AccountId,
  AccountQuota,
  ApiKey,
  ApiKeySecret,
  AuditEvent,
  type Tables,
} from '../database/tables.ts';
import type { Repeated } from '../repeated.ts';
import { prepareDeleteUses, removeKey } from './remove-key.ts';

/**
 * The lock that lets one node at a time remove rows: the first 64 bits of SHA-256 of `account`, an arbitrary number.
 */
const lock = '-7281738738455033810';

/** The most rows that one statement removes: on SQLite, all other writers wait for the statement. */
const limit = sql.lit(cleanUpBatch);

/** Selects the next erased account after another one, unless another node is removing rows. */
const takeAccount = prepareQuery(Account, (db, { last }: { readonly last: number }) =>
  db
    .selectFrom('account')
    .select(['id', 'erased_at'])
    .where('is_being_erased', '=', sql.lit(true))
    .where('id', '>', last as AccountId)
    .where(sql<boolean>`(select ${tryLock(db, lock)})`)
    .orderBy('id')
    .limit(1),
);

/**
 * The time after an erasure during which its rows are looked for again, in milliseconds: a change that had begun before
 * may have left some. It is longer than any transaction of a request.
 */
const settling = 5 * 60_000;

const finish = prepareQuery(Account, (db, { id }: { readonly id: AccountId }) =>
  db.updateTable('account').set({ is_being_erased: false }).where('id', '=', id),
);

/** The most keys that one transaction removes. */
const keysAtOnce = 20;

/** Selects and locks the next keys of an account. */
const takeKeys = prepareQuery(ApiKey, (db, { account }: { readonly account: AccountId }) => {
  const keys = db
    .selectFrom('api_key')
    .select('id')
    .where('account_id', '=', account)
    .orderBy('id')
    .limit(sql.lit(keysAtOnce));
  return forUpdate(db, keys);
});

/**
 * Removes some API keys of an account, or some of their rows.
 * @returns whether there were any
 */
async function removeKeys(db: Db, account: AccountId): Promise<boolean> {
  const keys = await takeKeys(db, { account });
  let removed = 0;
  for (const { id } of keys) {
    removed += await removeKey(db, id);
    if (removed >= cleanUpBatch) break;
  }
  return keys.length > 0;
}

interface Rest {
  readonly account: AccountId;
  /** The id of the row where the last statement ended. */
  readonly after: number;
}

const deleteSomeOf = (
  table: 'idempotency_record' | 'webhook_event' | 'webhook_delivery',
  condition = sql<boolean>`1 = 1`,
) =>
  prepareQuery(Account, (db, { account }: Rest) =>
    db
      .deleteFrom(table)
      .where('id', 'in', (rows) =>
        rows.selectFrom(table).select('id').where('account_id', '=', account).where(condition).limit(limit),
      )
      .returning('id'),
  );

const deleteAccountUses = prepareDeleteUses('account_use', 'account_id');

/** The keys that an erased person created for organisations stay, and no longer say who did. */
const forgetCreator = prepareQuery(ApiKey, (db, { account }: Rest) =>
  db
    .updateTable('api_key')
    .set({ created_by: null })
    .where('id', 'in', (keys) =>
      keys.selectFrom('api_key').select('id').where('created_by', '=', account).limit(limit),
    )
    .returning('id'),
);

// The erasure deletes it, and a verification that had begun before may have written it again.
const deleteAccountQuota = prepareQuery(AccountQuota, (db, { account }: Rest) =>
  db.deleteFrom('account_quota').where('account_id', '=', account).returning('account_id'),
);

const isPersonal = sql<boolean>`(address is not null or details is not null or reason is not null)`;

const someOfTrail = (db: Kysely<Tables>, after: number) =>
  db
    .selectFrom('audit_event')
    .select('id')
    .where('id', '>', after)
    .where(isPersonal)
    .orderBy('id')
    .limit(limit);

const emptyTrail = prepareQuery(AuditEvent, (db, { account, after }: Rest) =>
  db
    .updateTable('audit_event')
    .set({ address: null, details: null, reason: null })
    .where('id', 'in', someOfTrail(db, after).where('account_id', '=', account))
    .returning('id'),
);

/**
 * Empties the operators' own events about the account as well. The operators' addresses stay, because they are not
 * the account's.
 */
const emptyOperatorsTrails = prepareQuery(AuditEvent, (db, { account }: Rest) =>
  db
    .updateTable('audit_event')
    .set({ details: null, reason: null })
    .where('id', 'in', (rows) =>
      rows
        .selectFrom('audit_event')
        .select('id')
        .where('other_id', '=', account)
        .where('actor', 'is', null)
        .where(sql<boolean>`(details is not null or reason is not null)`)
        .limit(limit),
    )
    .returning('id'),
);

// Begins at the key where the last statement ended: the keys before it have no secrets any more.
const deleteSecrets = prepareQuery(ApiKeySecret, (db, { account, after }: Rest) =>
  db
    .deleteFrom('api_key_secret')
    .where('id', 'in', (secrets) =>
      secrets
        .selectFrom('api_key')
        .innerJoin('api_key_secret as secret', 'secret.api_key_id', 'api_key.id')
        .where('api_key.account_id', '=', account)
        .where('api_key.id', '>=', after)
        .orderBy('api_key.id')
        .select('secret.id')
        .limit(limit),
    )
    .returning('api_key_id as id'),
);

/** Where the removal of an account's rows has got to. */
interface Place {
  /** The number of the step. */
  step: number;
  /** The id of the row where the step has got to. */
  after: number;
}

type Remove = (db: Db, rest: Rest) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Makes a step of a statement. The statement begins at the greatest id of the rows that it has had. */
const by =
  (remove: Remove) =>
  async (db: Db, account: AccountId, place: Place): Promise<boolean> => {
    const removed = await remove(db, { account, after: place.after });
    place.after = Math.max(place.after, ...removed.map(({ id }) => Number(id ?? 0)));
    return removed.length > 0;
  };

/**
 * The steps of a removal. Each removes some rows, and returns whether there were any. The secrets come first; then the
 * personal data: what could still be sent, stored answers, and the trails.
 */
const steps: readonly ((db: Db, account: AccountId, place: Place) => Promise<boolean>)[] = [
  by(deleteSecrets),
  // Receivers of webhooks still learn that the account was erased.
  by(deleteSomeOf('webhook_delivery', sql`type <> 'account.erased'`)),
  by(deleteSomeOf('webhook_event', sql`action <> 'account-erased'`)),
  by(deleteSomeOf('idempotency_record')),
  by(forgetCreator),
  by(emptyOperatorsTrails),
  by(emptyTrail),
  removeKeys,
  by((db, { account }) => deleteAccountUses(db, { id: account })),
  by(deleteAccountQuota),
];

/**
 * Removes the remaining rows of erased accounts: on request, and at regular intervals. Disposing of the result ends
 * this; the next start continues.
 * @param onFailure receives the error of a failed run; a later run tries again
 */
export function removeErased(db: Db, onFailure: (error: unknown) => void): Repeated {
  const places = new Map<AccountId, Place>();
  /** The account of the last turn, and whether this round removed anything. */
  let last = 0;
  let hasRemoved = false;

  /** Removes some rows of an account; returns whether there were any. */
  const removeRows = async (transaction: Db, account: AccountId): Promise<boolean> => {
    const place = places.get(account) ?? { step: 0, after: 0 };
    for (; place.step < steps.length; place.step += 1) {
      if (await steps[place.step]?.(transaction, account, place)) {
        places.set(account, place);
        return true;
      }
      place.after = 0;
    }
    // Starts again if anything was removed: a change that had begun before may have left something meanwhile.
    return places.delete(account);
  };

  /**
   * Each transaction has only a few statements that write, so that other writers come between. Accounts take turns, so
   * that one with a million rows keeps no other waiting.
   */
  const removeSome = async (): Promise<number> => {
    const found = await db.transaction(async (transaction) => {
      const [account] = await takeAccount(transaction, { last });
      if (!account) return undefined;
      const { id, erasedAt } = account;
      const hasRemoved = await removeRows(transaction, id);
      const isSettled = Date.now() - (erasedAt?.getTime() ?? 0) > settling;
      if (!hasRemoved && isSettled) await finish(transaction, { id });
      return { id, hasRemoved };
    });
    last = found?.id ?? 0;
    if (found) {
      hasRemoved ||= found.hasRemoved;
      return cleanUpBatch;
    }
    // After the last account, it is the first one's turn again.
    const isAgain = hasRemoved;
    hasRemoved = false;
    return isAgain ? cleanUpBatch : 0;
  };

  return cleanUp(removeSome, onFailure);
}
