import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../database/db.ts';
import { prepareQuery, runQuery } from '../database/prepare-query.ts';
import { ApiKeyLease } from '../database/tables.ts';
import { giveUnitsBack, type Unspent } from './quota-statements.ts';

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
