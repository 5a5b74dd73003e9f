import { sql } from 'kysely';
import { type Db, prepareQuery } from '../database/db.ts';
import { type ApiKey, ApiKeyQuota } from '../database/tables.ts';
import type { Quotas } from '../operations/context.ts';
import { isPeriodOver, isPeriodOverIn, periodEndIn } from '../quotas/quota-periods.ts';
import type { QuotaTerms } from './key-parts.ts';
import { type QuotaColumns, storedQuota } from './verify/key-limits.ts';

/** A key's quota as its owner sees it. */
export interface Quota extends QuotaTerms {
  /** The remaining units of this period. */
  readonly remaining: number;
  /** The time when the quota is full again; null: never. */
  readonly refillsAt: Date | null;
}

/**
 * The current quota of a key, from its columns; null if the key has none.
 * @param quotas knows the units that this node has leased and not spent
 */
export function quotaOf(key: QuotaColumns & Pick<ApiKey, 'id'>, quotas: Quotas): Quota | null {
  const { quotaRefill: refill, quotaRefillsAt: end } = key;
  const now = new Date();
  const quotaOver = end !== null && isPeriodOver(refill ?? 'never', new Date(end), now);
  const quota = storedQuota({ ...key, quotaOver });
  if (!quota) return null;
  const { limit, remaining, refillsAt } = quotas.peek({ ownerId: key.id, quota, now });
  // A repeated answer may be from a time when fewer units were taken.
  return { limit, refill: quota.refill, remaining: Math.min(remaining, limit), refillsAt };
}

interface Owned {
  readonly keyId: number;
}

type Terms = Owned & Pick<ApiKeyQuota, 'refill'> & { readonly units: number; readonly now: Date };

// What was taken stays taken, and leases stay valid: otherwise a change and back would grant everything again.
const upsertQuota = prepareQuery(ApiKeyQuota, (db, { keyId, units, refill, now }: Terms) => {
  const isOver = isPeriodOverIn(db, now);
  return db
    .insertInto('api_key_quota')
    .values({
      api_key_id: keyId,
      units,
      refill,
      taken: 0,
      refills_at: periodEndIn(db, sql`cast(${refill} as text)`, now),
      generation: 1,
    })
    .onConflict((conflict) =>
      conflict.column('api_key_id').doUpdateSet({
        units,
        refill,
        taken: sql`case when ${isOver} then 0 else api_key_quota.taken end`,
        generation: sql`api_key_quota.generation + case when ${isOver} then 1 else 0 end`,
        refills_at: sql`case when ${isOver} or api_key_quota.refill <> excluded.refill
          then excluded.refills_at else api_key_quota.refills_at end`,
      }),
    )
    .returning(['taken', 'refills_at', 'generation']);
});

const liftQuota = prepareQuery(ApiKeyQuota, (db, { keyId }: Owned) =>
  db.updateTable('api_key_quota').set({ units: null }).where('api_key_id', '=', keyId),
);

const selectQuota = prepareQuery(ApiKeyQuota, (db, { keyId }: Owned) =>
  db.selectFrom('api_key_quota').where('api_key_id', '=', keyId).select(['units', 'refill']),
);

/**
 * Gives a key another quota, or removes its quota. What was used in this period stays used. If the quota now refills at
 * other times, the period ends by the new terms.
 * @returns the quota, as columns beside the key
 */
export async function setQuota(
  db: Db,
  keyId: number,
  terms: QuotaTerms | null,
  now: Date,
): Promise<QuotaColumns> {
  if (terms === null) {
    await liftQuota(db, { keyId });
    return noQuota;
  }
  const { limit: units, refill } = terms;
  const [row] = await upsertQuota(db, { keyId, units, refill, now });
  return {
    quotaUnits: units,
    quotaRefill: refill,
    quotaTaken: row?.taken ?? 0,
    quotaRefillsAt: row?.refillsAt ?? null,
    quotaGeneration: row?.generation ?? null,
  };
}

/** Reads the terms of a key's quota; null if the key has none. */
export async function quotaTerms(db: Db, keyId: number): Promise<QuotaTerms | null> {
  const [found] = await selectQuota(db, { keyId });
  const { units, refill } = found ?? {};
  return units == null ? null : { limit: units, refill: refill as QuotaTerms['refill'] };
}

/** The columns of a key without a quota. */
export const noQuota: QuotaColumns = {
  quotaUnits: null,
  quotaRefill: null,
  quotaTaken: null,
  quotaRefillsAt: null,
  quotaGeneration: null,
};
