import { sql } from 'kysely';
import { type Db, prepareQuery } from '../database/db.ts';
import { ApiKeyQuota, type QuotaRefill } from '../database/tables.ts';
import { isPeriodOverIn, periodEndIn } from './quota-periods.ts';

/** The units to take from a quota, if the quota is still the one that was read. */
interface Take {
  readonly keyId: number;
  readonly generation: number;
  readonly units: number;
  readonly now: Date;
}

/** Takes units from the current period. No row: too few units remain, or the period or the quota has changed. */
export const takeUnits = prepareQuery(ApiKeyQuota, (db, { keyId, generation, units, now }: Take) =>
  db
    .updateTable('api_key_quota')
    .set({ taken: sql`taken + ${units}` })
    .where('api_key_id', '=', keyId)
    .where('generation', '=', generation)
    .where(sql<boolean>`taken + ${units} <= units`)
    .where(sql<boolean>`${isPeriodOverIn(db, now)} is not true`)
    .returning('taken'),
);

/** Begins the next period and takes its first units; of several calls, only one succeeds. */
export const beginPeriod = prepareQuery(ApiKeyQuota, (db, { keyId, generation, units, now }: Take) =>
  db
    .updateTable('api_key_quota')
    .set({
      taken: units,
      generation: sql`generation + 1`,
      refills_at: periodEndIn(db, sql.ref<QuotaRefill>('refill'), now),
    })
    .where('api_key_id', '=', keyId)
    .where('generation', '=', generation)
    .where(sql<boolean>`${isPeriodOverIn(db, now)}`)
    .where('units', '>=', units)
    .returning('taken'),
);

/** Reads the quota of a key anew. */
export const readQuota = prepareQuery(
  ApiKeyQuota,
  (db, { keyId, now }: { readonly keyId: number; readonly now: Date }) =>
    db
      .selectFrom('api_key_quota')
      .where('api_key_id', '=', keyId)
      .select(['units', 'refill', 'taken', 'generation'])
      .select(sql<unknown>`${isPeriodOverIn(db, now)}`.as('over')),
);

/** The leased units of a node that are not spent. */
interface Unspent {
  readonly keyId: number;
  readonly generation: number;
  readonly left: number;
}

/** Gives units of many keys back. Units of another generation are dropped. */
export async function giveUnitsBack(db: Db, unspent: readonly Unspent[]): Promise<void> {
  if (unspent.length === 0) return;
  const rows = unspent.map(
    ({ keyId, generation, left }) =>
      sql`(cast(${keyId} as integer), cast(${generation} as integer), cast(${left} as integer))`,
  );
  const query = sql`
    update api_key_quota set taken = taken - unspent.column3 from (values ${sql.join(rows)}) as unspent
    where api_key_quota.api_key_id = unspent.column1
    and api_key_quota.generation = unspent.column2`.compile(db.kysely);
  await db.run(query, ApiKeyQuota);
}
