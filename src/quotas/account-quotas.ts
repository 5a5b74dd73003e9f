import { sql } from 'kysely';
import { prepareQuery } from '../database/db.ts';
import { type AccountId, AccountQuota, type QuotaRefill, WebhookEvent } from '../database/tables.ts';
import type { StoredQuota } from '../operations/context.ts';
import { isPeriodOverIn, periodEndIn } from './quota-periods.ts';
import { sharedParts } from './quota-statements.ts';
import type { QuotaStore, Take } from './quota-store.ts';

const beginPeriod = prepareQuery(AccountQuota, (db, { ownerId, generation, refill, amount, now }: Take) => {
  const refillsAt = periodEndIn(db, sql`cast(${refill} as text)`, now);
  return db
    .insertInto('account_quota')
    .values({
      account_id: ownerId as AccountId,
      refill,
      taken: amount,
      refills_at: refillsAt,
      generation: 1,
    })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet((column) => ({
          refill,
          taken: amount,
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
  (db, { ownerId, generation, refill, now }: Omit<Take, 'amount'>) =>
    db
      .updateTable('account_quota')
      .set({ refill, refills_at: periodEndIn(db, sql`cast(${refill} as text)`, now) })
      .where('account_id', '=', ownerId as AccountId)
      .where('generation', '=', generation)
      .where('refill', '<>', refill)
      .where(sql<boolean>`${isPeriodOverIn(db, now, 'account_quota')} is not true`),
);

const readQuota = prepareQuery(AccountQuota, (db, { ownerId, now }: Pick<Take, 'ownerId' | 'now'>) =>
  db
    .selectFrom('account_quota')
    .where('account_id', '=', ownerId as AccountId)
    .select(['refill', 'taken', 'generation', 'refills_at'])
    .select(sql<boolean | null>`${isPeriodOverIn(db, now, 'account_quota')}`.as('over')),
);

const noteEvent = prepareQuery(WebhookEvent, (db, { ownerId, now }: Pick<Take, 'ownerId' | 'now'>) =>
  db.insertInto('webhook_event').values({
    account_id: ownerId as AccountId,
    actor: 'key',
    action: 'account-quota-exhausted',
    created_at: now,
  }),
);

/** What the database has of an account's quota; null: nothing was taken of it yet. */
export interface AccountQuotaRow extends Pick<AccountQuota, 'refill' | 'taken' | 'generation'> {
  /** Whether the period is over; null: it never ends. */
  readonly over: boolean | null;
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
  const over = row.over === true;
  return { units: limit, refill, taken, generation, over, isMoved: !over && row.refill !== refill };
};

/**
 * The quotas of accounts. The terms are not stored: each node goes by its plans, and by what it has read of the
 * account.
 */
export const accountQuotas: QuotaStore = {
  ...sharedParts({ entity: AccountQuota, table: 'account_quota', owner: 'account_id', noteEvent }),
  begin: async (db, take) => (await beginPeriod(db, take))[0]?.taken,
  move: async (db, quota) => void (await movePeriod(db, quota)),
  read: async (db, ownerId, { units, refill }, now) => {
    const [row] = await readQuota(db, { ownerId, now });
    return accountQuotaOf({ limit: units, refill }, row ?? null);
  },
  seenBy: (state, { units, refill }) => {
    const isMoved = !state.over && (state.isMoved === true || state.refill !== refill);
    return { ...state, units, refill, isMoved };
  },
};
