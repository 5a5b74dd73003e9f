import { sql } from 'kysely';
import { prepareQuery } from '../database/db.ts';
import { type AccountId, AccountQuota, type QuotaRefill, WebhookEvent } from '../database/tables.ts';
import type { StoredQuota } from '../operations/context.ts';
import { isPeriodOverIn, periodEndIn } from './quota-periods.ts';
import type { Exhausted, QuotaStore, Take } from './quota-store.ts';

interface Values {
  readonly account: AccountId;
  readonly generation: number;
  /** The units of a period, by the plan that the asker goes by. */
  readonly limit: number;
  readonly refill: QuotaRefill;
  readonly units: number;
  readonly now: Date;
}

const valuesOf = ({ ownerId, seen, units, now }: Take): Values => ({
  account: ownerId as AccountId,
  generation: seen.generation,
  limit: seen.units,
  refill: seen.refill,
  units,
  now,
});

const takeUnits = prepareQuery(AccountQuota, (db, { account, generation, limit, units, now }: Values) =>
  db
    .updateTable('account_quota')
    .set({ taken: sql`taken + ${units}` })
    .where('account_id', '=', account)
    .where('generation', '=', generation)
    .where(sql<boolean>`taken + ${units} <= ${limit}`)
    .where(sql<boolean>`${isPeriodOverIn(db, now, 'account_quota')} is not true`)
    .returning('taken'),
);

const beginPeriod = prepareQuery(AccountQuota, (db, { account, generation, refill, units, now }: Values) => {
  const refillsAt = periodEndIn(db, sql`cast(${refill} as text)`, now);
  return db
    .insertInto('account_quota')
    .values({ account_id: account, refill, taken: units, refills_at: refillsAt, generation: 1 })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet((column) => ({
          refill,
          taken: units,
          refills_at: column.ref('excluded.refills_at'),
          generation: column('account_quota.generation', '+', 1),
        }))
        .where('account_quota.generation', '=', generation)
        .where(sql<boolean>`${isPeriodOverIn(db, now, 'account_quota')}`),
    )
    .returning('taken');
});

/** What was taken stays taken: else a change of plans to and fro would grant everything anew. */
const movePeriod = prepareQuery(
  AccountQuota,
  (db, { account, generation, refill, now }: Omit<Values, 'units' | 'limit'>) =>
    db
      .updateTable('account_quota')
      .set({ refill, refills_at: periodEndIn(db, sql`cast(${refill} as text)`, now) })
      .where('account_id', '=', account)
      .where('generation', '=', generation)
      .where('refill', '<>', refill)
      .where(sql<boolean>`${isPeriodOverIn(db, now, 'account_quota')} is not true`),
);

const readQuota = prepareQuery(
  AccountQuota,
  (db, { account, now }: { readonly account: AccountId; readonly now: Date }) =>
    db
      .selectFrom('account_quota')
      .where('account_id', '=', account)
      .select(['refill', 'taken', 'generation'])
      .select(sql<unknown>`${isPeriodOverIn(db, now, 'account_quota')}`.as('over')),
);

/** Only one of the nodes that see the same exhaustion marks it. */
const mark = prepareQuery(AccountQuota, (db, { ownerId, generation }: Exhausted) =>
  db
    .updateTable('account_quota')
    .set({ exhausted_generation: generation })
    .where('account_id', '=', ownerId as AccountId)
    .where('generation', '=', generation)
    .where(({ eb, or, ref }) =>
      or([eb('exhausted_generation', 'is', null), eb('exhausted_generation', '<>', ref('generation'))]),
    )
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('webhook_endpoint').select('id').where('removed_at', 'is', null)),
    )
    .returning('generation'),
);

const noteEvent = prepareQuery(
  WebhookEvent,
  (db, { account, now }: { readonly account: AccountId; readonly now: Date }) =>
    db.insertInto('webhook_event').values({
      account_id: account,
      actor: 'key',
      action: 'account-quota-exhausted',
      created_at: now,
    }),
);

/** What the database has of an account's quota; null: nothing was taken of it yet. */
export interface AccountQuotaRow {
  readonly refill: QuotaRefill;
  readonly taken: number;
  readonly generation: number;
  /** Whether the period is over; SQLite returns a number. */
  readonly over: unknown;
}

/**
 * The quota of an account: the terms that its plan has, and what the database has of it.
 * @param row null: nothing was taken of it yet
 */
export const accountQuotaOf = (
  { limit, refill }: { readonly limit: number; readonly refill: QuotaRefill },
  row: AccountQuotaRow | null,
): StoredQuota => {
  if (row === null) return { units: limit, refill, taken: 0, generation: 0, over: true };
  const { taken, generation } = row;
  const over = Boolean(row.over);
  return { units: limit, refill, taken, generation, over, isMoved: !over && row.refill !== refill };
};

/**
 * The quotas of accounts. The terms are not stored: each node goes by its plans, and by what it has read of the
 * account.
 */
export const accountQuotas: QuotaStore = {
  take: async (db, take) => (await takeUnits(db, valuesOf(take)))[0]?.taken,
  begin: async (db, take) => (await beginPeriod(db, valuesOf(take)))[0]?.taken,
  move: async (db, take) => void (await movePeriod(db, valuesOf({ ...take, units: 0 }))),
  read: async (db, ownerId, { units, refill }, now) => {
    const [row] = await readQuota(db, { account: ownerId as AccountId, now });
    return accountQuotaOf({ limit: units, refill }, row ?? null);
  },
  seenBy: (state, { units, refill }) => {
    const isMoved = !state.over && (state.isMoved === true || state.refill !== refill);
    return { ...state, units, refill, isMoved };
  },
  giveBack: async (db, unspent) => {
    const rows = unspent.map(
      ({ ownerId, generation, left }) =>
        sql`(cast(${ownerId} as integer), cast(${generation} as integer), cast(${left} as integer))`,
    );
    const query = sql`
      update account_quota set taken = taken - unspent.column3 from (values ${sql.join(rows)}) as unspent
      where account_quota.account_id = unspent.column1
      and account_quota.generation = unspent.column2`.compile(db.kysely);
    await db.run(query, AccountQuota);
  },
  announce: async (db, exhausted, now) => {
    if ((await mark(db, exhausted)).length === 0) return;
    await noteEvent(db, { account: exhausted.ownerId as AccountId, now }, { last: true });
  },
};
