import type { EntityName } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { type PreparedQuery, prepareQuery } from '../database/db.ts';
import { isPeriodOverIn } from './quota-periods.ts';
import type { Exhausted, QuotaStore, Take } from './quota-store.ts';

/** A table of quotas. */
interface QuotaTable {
  readonly entity: EntityName;
  readonly table: 'api_key_quota' | 'account_quota';
  /** The column of the owner's id. */
  readonly owner: 'api_key_id' | 'account_id';
  /** Writes the event for webhooks that an owner's quota has run out. */
  readonly noteEvent: PreparedQuery<{ readonly ownerId: number; readonly now: Date }, unknown>;
}

/** Makes the parts of a store that are the same for all kinds of owners. */
export function sharedParts({
  entity,
  table,
  owner,
  noteEvent,
}: QuotaTable): Pick<QuotaStore, 'take' | 'giveBack' | 'announce'> {
  // The row of a key has its terms. Those of an account are as its plan says.
  const takeUnits = prepareQuery(entity, (db, { ownerId, generation, units, amount, now }: Take) =>
    db
      .updateTable(table)
      .set({ taken: sql`taken + ${amount}` })
      .where(sql.ref(owner), '=', ownerId)
      .where('generation', '=', generation)
      .where(sql<boolean>`taken + ${amount} <= ${table === 'api_key_quota' ? sql.ref('units') : units}`)
      .where(sql<boolean>`${isPeriodOverIn(db, now, table)} is not true`)
      .returning('taken'),
  );

  // Only one of the nodes that see the same exhaustion marks it.
  const mark = prepareQuery(entity, (db, { ownerId, generation }: Exhausted) =>
    db
      .updateTable(table)
      .set({ exhausted_generation: generation })
      .where(sql.ref(owner), '=', ownerId)
      .where('generation', '=', generation)
      .where(({ eb, or, ref }) =>
        or([eb('exhausted_generation', 'is', null), eb('exhausted_generation', '<>', ref('generation'))]),
      )
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('webhook_endpoint').select('id').where('removed_at', 'is', null)),
      )
      .returning('generation'),
  );

  return {
    take: async (db, take) => (await takeUnits(db, take))[0]?.taken,
    giveBack: async (db, unspent) => {
      const rows = unspent.map(
        ({ ownerId, generation, left }) =>
          sql`(cast(${ownerId} as integer), cast(${generation} as integer), cast(${left} as integer))`,
      );
      const query = sql`
        update ${sql.table(table)} set taken = taken - unspent.column3
        from (values ${sql.join(rows)}) as unspent
        where ${sql.ref(owner)} = unspent.column1 and generation = unspent.column2`;
      await db.run(query.compile(db.kysely), entity);
    },
    announce: async (db, exhausted, now) => {
      if ((await mark(db, exhausted)).length === 0) return;
      await noteEvent(db, { ownerId: exhausted.ownerId, now }, { last: true });
    },
  };
}
