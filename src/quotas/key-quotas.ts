import { sql } from 'kysely';
import { prepareQuery } from '../database/db.ts';
import { ApiKeyQuota, type QuotaRefill, WebhookEvent } from '../database/tables.ts';
import { isPeriodOverIn, periodEndIn } from './quota-periods.ts';
import type { Exhausted, QuotaStore } from './quota-store.ts';

interface Values {
  readonly keyId: number;
  readonly generation: number;
  readonly units: number;
  readonly now: Date;
}

const takeUnits = prepareQuery(ApiKeyQuota, (db, { keyId, generation, units, now }: Values) =>
  db
    .updateTable('api_key_quota')
    .set({ taken: sql`taken + ${units}` })
    .where('api_key_id', '=', keyId)
    .where('generation', '=', generation)
    .where(sql<boolean>`taken + ${units} <= units`)
    .where(sql<boolean>`${isPeriodOverIn(db, now)} is not true`)
    .returning('taken'),
);

const beginPeriod = prepareQuery(ApiKeyQuota, (db, { keyId, generation, units, now }: Values) =>
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

const readQuota = prepareQuery(
  ApiKeyQuota,
  (db, { keyId, now }: { readonly keyId: number; readonly now: Date }) =>
    db
      .selectFrom('api_key_quota')
      .where('api_key_id', '=', keyId)
      .select(['units', 'refill', 'taken', 'generation'])
      .select(sql<unknown>`${isPeriodOverIn(db, now)}`.as('over')),
);

/** Only one of the nodes that see the same exhaustion marks it. */
const mark = prepareQuery(ApiKeyQuota, (db, { ownerId, generation }: Exhausted) =>
  db
    .updateTable('api_key_quota')
    .set({ exhausted_generation: generation })
    .where('api_key_id', '=', ownerId)
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
  (db, { ownerId, now }: { readonly ownerId: number; readonly now: Date }) =>
    db
      .insertInto('webhook_event')
      .columns(['account_id', 'actor', 'action', 'target', 'created_at'])
      .expression(
        db
          .selectFrom('api_key')
          .where('id', '=', ownerId)
          .select(['account_id', sql<string>`'key'`.as('actor')])
          .select([sql<string>`'api-key-quota-exhausted'`.as('action'), 'id'])
          .select(({ val }) => val(now).as('created_at')),
      ),
);

/** The quotas of API keys. A row has the terms that the owner set. */
export const keyQuotas: QuotaStore = {
  take: async (db, { ownerId, seen: { generation }, units, now }) =>
    (await takeUnits(db, { keyId: ownerId, generation, units, now }))[0]?.taken,
  begin: async (db, { ownerId, seen: { generation }, units, now }) =>
    (await beginPeriod(db, { keyId: ownerId, generation, units, now }))[0]?.taken,
  read: async (db, keyId, _known, now) => {
    const [row] = await readQuota(db, { keyId, now });
    const units = row?.units ?? null;
    return row && units !== null ? { ...row, units, over: Boolean(row.over) } : null;
  },
  seenBy: (state) => state,
  giveBack: async (db, unspent) => {
    const rows = unspent.map(
      ({ ownerId, generation, left }) =>
        sql`(cast(${ownerId} as integer), cast(${generation} as integer), cast(${left} as integer))`,
    );
    const query = sql`
      update api_key_quota set taken = taken - unspent.column3 from (values ${sql.join(rows)}) as unspent
      where api_key_quota.api_key_id = unspent.column1
      and api_key_quota.generation = unspent.column2`.compile(db.kysely);
    await db.run(query, ApiKeyQuota);
  },
  announce: async (db, exhausted, now) => {
    if ((await mark(db, exhausted)).length === 0) return;
    await noteEvent(db, { ownerId: exhausted.ownerId, now }, { last: true });
  },
};
