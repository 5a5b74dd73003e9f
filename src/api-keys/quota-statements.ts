import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Db, prepareQuery, runQuery } from '../database/db.ts';
import { ApiKeyLease, ApiKeyQuota } from '../database/tables.ts';

/** What is taken of a quota, as long as it is still the one that was seen. */
interface Take {
  readonly keyId: number;
  readonly generation: number;
  readonly units: number;
  readonly now: Date;
}

/** Takes units out of the period that runs; no row: there are too few, or the period or the quota is another one. */
export const takeUnits = prepareQuery(ApiKeyQuota, (db, { keyId, generation, units, now }: Take) =>
  db
    .updateTable('api_key_quota')
    .set({ taken: sql`taken + ${units}` })
    .where('api_key_id', '=', keyId)
    .where('generation', '=', generation)
    .where(sql<boolean>`taken + ${units} <= units`)
    .where((at) => at.or([at('refills_at', 'is', null), at('refills_at', '>', now)]))
    .returning('taken'),
);

/** Begins the next period, which happens once, and takes its first units. */
export const beginPeriod = prepareQuery(
  ApiKeyQuota,
  (db, { keyId, generation, units, now, refillsAt }: Take & { readonly refillsAt: Date | null }) =>
    db
      .updateTable('api_key_quota')
      .set({ taken: units, generation: sql`generation + 1`, refills_at: refillsAt })
      .where('api_key_id', '=', keyId)
      .where('generation', '=', generation)
      .where('refills_at', '<=', now)
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
      .select(sql<unknown>`refills_at <= ${now}`.as('over')),
);

/** Units that a node has taken and not spent. */
interface Unspent {
  readonly keyId: number;
  readonly generation: number;
  readonly left: number;
}

/** Gives units of many keys back. Those of another generation are worth nothing. */
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

/** How long a node may spend what it has taken, in milliseconds, and when others take the node for gone. */
export const leaseLifetime = 60_000;
const graveTime = 2 * leaseLifetime;

/** How many leases of nodes that are gone are given back in one transaction. */
const batchSize = 200;

type Row = Pick<ApiKeyLease, 'apiKey' | 'node' | 'generation' | 'units' | 'expiresAt'>;

const upsertLease = prepareQuery(ApiKeyLease, (db, { apiKey, node, generation, units, expiresAt }: Row) =>
  db
    .insertInto('api_key_lease')
    .values({ api_key_id: apiKey, node, generation, units, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['api_key_id', 'node']).doUpdateSet({ generation, units, expires_at: expiresAt }),
    ),
);

const deleteExpired = prepareQuery(ApiKeyLease, (db, { now, limit }: { now: Date; limit: number }) =>
  db
    .deleteFrom('api_key_lease')
    .where(
      ({ refTuple, selectFrom }) =>
        sql<boolean>`${refTuple('api_key_id', 'node')} in ${selectFrom('api_key_lease as expired')
          .where('expired.expires_at', '<', now)
          .orderBy('expired.api_key_id')
          .limit(limit)
          .select(['expired.api_key_id', 'expired.node'])}`,
    )
    .returning(['api_key_id', 'generation', 'units']),
);

/**
 * Writes down what a node has leased of quotas, in the transactions in which it takes units and gives them back. So what
 * a node had that is gone can be given back by the others.
 */
export class LeaseRecords {
  readonly #node = randomUUID();

  /** Writes down, in the transaction that takes units, how many there are then. */
  async keep(db: Db, { keyId, generation, left }: Unspent): Promise<void> {
    const expiresAt = new Date(Date.now() + graveTime);
    await upsertLease(db, { apiKey: keyId, node: this.#node, generation, units: left, expiresAt });
  }

  /** Deletes leases; those that are returned were there, and nobody else has given them back. */
  async end(db: Db, leases: readonly Unspent[]): Promise<Unspent[]> {
    const ids = leases.map(({ keyId }) => keyId);
    const query = db.kysely
      .deleteFrom('api_key_lease')
      .where('node', '=', this.#node)
      .where('api_key_id', 'in', ids)
      .returning(['api_key_id', 'generation']);
    const ended = await runQuery(db, ApiKeyLease, query);
    const generations = new Map(ended.map(({ apiKey, generation }) => [apiKey, generation]));
    return leases.filter(({ keyId, generation }) => generations.get(keyId) === generation);
  }

  /** Gives back what nodes had that are gone. */
  async giveBackOfOthers(db: Db): Promise<void> {
    let count: number;
    do {
      count = await db.transaction(async (inner) => {
        const gone = await deleteExpired(inner, { now: new Date(), limit: batchSize });
        const unspent = gone.map(({ apiKey, generation, units }) => ({
          keyId: apiKey,
          generation,
          left: units,
        }));
        for (const lease of unspent) await giveUnitsBack(inner, [lease]);
        return gone.length;
      });
    } while (count === batchSize);
  }
}
