import { sql } from 'kysely';
import { prepareQuery } from '../database/db.ts';
import { ApiKeyQuota, type QuotaRefill, WebhookEvent } from '../database/tables.ts';
import { isPeriodOverIn, periodEndIn } from './quota-periods.ts';
import { sharedParts } from './quota-statements.ts';
import type { QuotaStore, Take } from './quota-store.ts';

const beginPeriod = prepareQuery(ApiKeyQuota, (db, { ownerId, generation, amount, now }: Take) =>
  db
    .updateTable('api_key_quota')
    .set({
      taken: amount,
      generation: sql`generation + 1`,
      refills_at: periodEndIn(db, sql.ref<QuotaRefill>('refill'), now),
    })
    .where('api_key_id', '=', ownerId)
    .where('generation', '=', generation)
    .where(sql<boolean>`${isPeriodOverIn(db, now)}`)
    .where('units', '>=', amount)
    .returning('taken'),
);

const readQuota = prepareQuery(ApiKeyQuota, (db, { ownerId, now }: Pick<Take, 'ownerId' | 'now'>) =>
  db
    .selectFrom('api_key_quota')
    .where('api_key_id', '=', ownerId)
    .select(['units', 'refill', 'taken', 'generation', 'refills_at'])
    .select(sql<boolean | null>`${isPeriodOverIn(db, now)}`.as('over')),
);

const noteEvent = prepareQuery(WebhookEvent, (db, { ownerId, now }: Pick<Take, 'ownerId' | 'now'>) =>
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
  ...sharedParts({ entity: ApiKeyQuota, table: 'api_key_quota', owner: 'api_key_id', noteEvent }),
  begin: async (db, take) => (await beginPeriod(db, take))[0]?.taken,
  read: async (db, ownerId, _known, now) => {
    const [row] = await readQuota(db, { ownerId, now });
    if (!row || row.units === null) return null;
    const { units, refill, taken, generation, over } = row;
    return { units, refill, taken, generation, over: over === true };
  },
  seenBy: (state) => state,
};
