import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { type Db, prepareQuery } from '../database/db.ts';
import { type ApiKey, ApiKeyQuota, type QuotaRefill } from '../database/tables.ts';
import type { Quotas } from '../operations/context.ts';
import { isPeriodOver, periodEndIn } from '../quotas/quota-periods.ts';
import type { QuotaTerms } from './key-parts.ts';

/** A key's quota as its owner sees it. */
export interface Quota extends QuotaTerms {
  /** The remaining units of this period. */
  readonly remaining: number;
  /** The time when the quota is full again; null: never. */
  readonly refillsAt: Date | null;
}

/** The columns of a key's quota, read with its row; null if the key has none. */
export interface QuotaColumns {
  readonly quotaUnits: number | null;
  readonly quotaRefill: QuotaRefill | null;
  readonly quotaTaken: number | null;
  readonly quotaGeneration: number | null;
  /** As in the database: a number on SQLite. */
  readonly quotaRefillsAt: unknown;
}

/**
 * The current quota of a key, from its columns; null if the key has none.
 * @param quotas knows the units that this node has leased and not spent
 */
export function quotaOf(key: QuotaColumns & Pick<ApiKey, 'id'>, quotas: Quotas): Quota | null {
  const { quotaUnits: units, quotaTaken, quotaGeneration, quotaRefillsAt } = key;
  // A repeated answer from before quotas existed lacks these columns.
  if (units === null || units === undefined) return null;
  const now = new Date();
  const refill = key.quotaRefill ?? 'never';
  const over = quotaRefillsAt !== null && isPeriodOver(refill, new Date(quotaRefillsAt as number), now);
  const quota = { units, refill, taken: quotaTaken ?? 0, generation: quotaGeneration ?? 0, over };
  const { limit, remaining, refillsAt } = quotas.look({ ownerId: key.id, quota, now });
  // A repeated answer may be from a time when fewer units were taken.
  return { limit, refill, remaining: Math.min(remaining, limit), refillsAt };
}

interface Owned {
  readonly keyId: number;
}

type NewQuota = Owned & Pick<ApiKeyQuota, 'units' | 'refill' | 'generation'> & { readonly now: Date };

const upsertQuota = prepareQuery(ApiKeyQuota, (db, { keyId, units, refill, generation, now }: NewQuota) => {
  const refillsAt = periodEndIn(db, sql`cast(${refill} as text)`, now);
  return db
    .insertInto('api_key_quota')
    .values({ api_key_id: keyId, units, refill, taken: 0, refills_at: refillsAt, generation })
    .onConflict((conflict) =>
      conflict.column('api_key_id').doUpdateSet((column) => ({
        units,
        refill,
        taken: 0,
        refills_at: column.ref('excluded.refills_at'),
        generation: column('api_key_quota.generation', '+', 1),
      })),
    )
    .returning('refills_at');
});

const deleteQuota = prepareQuery(ApiKeyQuota, (db, { keyId }: Owned) =>
  db.deleteFrom('api_key_quota').where('api_key_id', '=', keyId),
);

const selectQuota = prepareQuery(ApiKeyQuota, (db, { keyId }: Owned) =>
  db.selectFrom('api_key_quota').where('api_key_id', '=', keyId).select(['units', 'refill']),
);

/**
 * Gives a key another quota, whose first period begins now, or removes its quota.
 * @returns the quota, as columns beside the key
 */
export async function setQuota(
  db: Db,
  keyId: number,
  terms: QuotaTerms | null,
  now: Date,
): Promise<QuotaColumns> {
  if (terms === null) {
    await deleteQuota(db, { keyId });
    return noQuota;
  }
  const { limit: units, refill } = terms;
  // The generation must differ from those of the key's earlier quotas, of which leases may still exist.
  const generation = randomInt(2 ** 30);
  const [row] = await upsertQuota(db, { keyId, units, refill, generation, now });
  return {
    quotaUnits: units,
    quotaRefill: refill,
    quotaTaken: 0,
    quotaRefillsAt: row?.refillsAt ?? null,
    quotaGeneration: generation,
  };
}

/** Reads the terms of a key's quota; null if the key has none. */
export async function quotaTerms(db: Db, keyId: number): Promise<QuotaTerms | null> {
  const [found] = await selectQuota(db, { keyId });
  return found ? { limit: found.units, refill: found.refill as QuotaTerms['refill'] } : null;
}

/** The columns of a key without a quota. */
export const noQuota: QuotaColumns = {
  quotaUnits: null,
  quotaRefill: null,
  quotaTaken: null,
  quotaRefillsAt: null,
  quotaGeneration: null,
};
