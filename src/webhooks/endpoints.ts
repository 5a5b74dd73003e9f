import type { WebhookConfig } from '../config/config.ts';
import type { Db } from '../database/db.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { WebhookClock, WebhookEndpoint } from '../database/tables.ts';
import { lockClock } from './outbox.ts';

/** An endpoint of the configuration, as the database knows it. */
export interface Endpoint extends WebhookConfig {
  readonly id: number;
}

const insertClock = prepareQuery(WebhookClock, (db, { now }: { now: Date }) =>
  db
    .insertInto('webhook_clock')
    .values({ id: 1, expiries_told_until: now })
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

const setClock = prepareQuery(WebhookClock, (db, { now }: { now: Date }) =>
  db.updateTable('webhook_clock').set({ expiries_told_until: now }),
);

const selectEndpoints = prepareQuery(WebhookEndpoint, (db, _: object) =>
  db.selectFrom('webhook_endpoint').selectAll().orderBy('id'),
);

interface Configured {
  readonly url: string;
  readonly events: string;
  readonly now: Date;
}

const upsertEndpoint = prepareQuery(WebhookEndpoint, (db, { url, events, now }: Configured) =>
  db
    .insertInto('webhook_endpoint')
    .values({ url, events, created_at: now })
    .onConflict((conflict) => conflict.column('url').doUpdateSet({ events, removed_at: null }))
    .returningAll(),
);

const removeEndpoint = prepareQuery(WebhookEndpoint, (db, { id, now }: { id: number; now: Date }) =>
  db.updateTable('webhook_endpoint').set({ removed_at: now }).where('id', '=', id),
);

/**
 * Makes the stored endpoints those of the configuration: from now on, what happens is noted for these. One that the
 * configuration has no more keeps what waits for it, until that is given up.
 * @returns the endpoints, with their ids
 */
export async function agreeOnEndpoints(
  db: Db,
  configured: readonly WebhookConfig[],
  now = new Date(),
): Promise<Endpoint[]> {
  if (configured.length === 0 && !(await selectEndpoints(db, {})).some(isThere)) return [];
  return db.transaction(async (transaction) => {
    await insertClock(transaction, { now });
    await lockClock(transaction);
    const known = await selectEndpoints(transaction, {});
    // Nobody is told of what expired while there was no endpoint.
    if (!known.some(isThere)) await setClock(transaction, { now });
    const urls = configured.map(({ url }) => url);
    for (const { id } of known.filter((each) => isThere(each) && !urls.includes(each.url)))
      await removeEndpoint(transaction, { id, now });
    const endpoints: Endpoint[] = [];
    for (const each of configured) {
      const values = { url: each.url, events: JSON.stringify(each.events), now };
      const [row] = await upsertEndpoint(transaction, values);
      if (row) endpoints.push({ ...each, id: row.id });
    }
    return endpoints;
  });
}

const isThere = ({ removedAt }: Pick<WebhookEndpoint, 'removedAt'>) => removedAt === null;
