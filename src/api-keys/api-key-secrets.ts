import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { ofOwner } from '../accounts/own-account.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { itemsOf, type ManyValues, prepareForMany, shareReads } from '../database/shared-read.ts';
import { ApiKeySecret, type Tables } from '../database/tables.ts';
import type { Owner } from '../operations/context.ts';
import { operation } from '../operations/operation.ts';
import { apiKeyNotFound } from './own-api-key.ts';

/**
 * Selects keys with their working secrets, the current one first; a key without any has one row of nulls. The prefix of
 * a secret is everything before its dot; null: not known. The end is that of a previous secret; null: this is the current
 * one.
 */
const selectSecrets = (db: Kysely<Tables>, { now }: { readonly now: Date }) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .leftJoin('api_key_secret', (join) =>
      join
        .onRef('api_key_secret.api_key_id', '=', 'api_key.id')
        .on('api_key.is_active', '=', true)
        .on(({ eb, or }) => or([eb('api_key.expires_at', 'is', null), eb('api_key.expires_at', '>', now)]))
        .on(({ eb, or }) =>
          or([eb('api_key_secret.works_until', 'is', null), eb('api_key_secret.works_until', '>', now)]),
        ),
    )
    .select(['api_key_secret.id', 'api_key_secret.api_key_id'])
    .select(['api_key_secret.created_at', 'api_key_secret.last_used_at'])
    .select(({ fn }) =>
      fn
        .coalesce(
          'api_key_secret.key_prefix',
          sql<string | null>`case when api_key_secret.works_until is null then api_key.key_prefix end`,
        )
        .as('key_prefix'),
    )
    // A key may expire before the end of an earlier grace.
    .select(
      sql<Date | null>`case when api_key.expires_at < api_key_secret.works_until then api_key.expires_at
        else api_key_secret.works_until end`.as('works_until'),
    )
    .orderBy(sql`api_key_secret.works_until is null`, 'desc')
    .orderBy('api_key_secret.id', 'desc');

type Row = Awaited<ReturnType<typeof selectOwn>>[number];

/** A secret of an API key that works, without its text. */
export type WorkingSecret = Pick<Row, 'keyPrefix' | 'createdAt' | 'lastUsedAt' | 'worksUntil'>;

const withoutNone = (rows: readonly Row[]): WorkingSecret[] => rows.filter(({ id }) => id !== null);

const selectOwn = prepareQuery(
  ApiKeySecret,
  (db, owned: Owner & { readonly keyId: number; readonly now: Date }) =>
    selectSecrets(db, owned).where('api_key.id', '=', owned.keyId).where(ofOwner(owned)),
);

/**
 * Reads the working secrets of one of the caller's API keys, the current one first; none if the key is inactive or has
 * expired.
 * @throws {GatewayError} `NOT_FOUND`, the same for an unknown key and another person's key
 */
export const apiKeySecrets = operation(
  z.object({ keyId: z.int32() }),
  async (context, { keyId }): Promise<WorkingSecret[]> => {
    const { owner, db } = context;
    const rows = await selectOwn(db, { ...owner, keyId, now: new Date() });
    if (rows.length === 0) throw await apiKeyNotFound(context);
    return withoutNone(rows);
  },
);

const readSecrets = prepareForMany(
  (count) =>
    prepareQuery(ApiKeySecret, (db, values: ManyValues<number, { readonly now: Date }>) =>
      selectSecrets(db, values).where('api_key.id', 'in', itemsOf(values, count)),
    ),
  () => ({ now: new Date() }),
);

const readTogether = shareReads(readSecrets, 128);

/** Reads the working secrets of an API key that the caller may read. Keys that are read together share a query. */
export async function secretsOf(db: Db, keyId: number): Promise<WorkingSecret[]> {
  const rows = await readTogether(db, [keyId]);
  return withoutNone(rows.filter(({ apiKey }) => apiKey === keyId));
}
