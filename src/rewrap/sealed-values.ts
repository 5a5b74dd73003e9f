import { type NotNull, sql } from 'kysely';
import { prepareQuery } from '../database/db.ts';
import { sealedColumns } from '../database/secret-versions.ts';
import type { Sealed, Sealer } from '../secrets/sealer.ts';
import { batchSize, type Rewrapping } from './rewrap.ts';

/** A row with a sealed value. */
interface SealedRow {
  readonly id: number;
  /** The account's id; 0 if the row belongs to no account. */
  readonly owner: number;
  readonly sealed: string;
  readonly version: number;
}

type Resealed = Pick<SealedRow, 'id' | 'sealed'> & Sealed;

type Purpose = keyof typeof sealedColumns;

// The selected names are single words, because the entity has no property of these names and nothing renames them.
function prepareQueries(purpose: Purpose) {
  const { entity, table, column } = sealedColumns[purpose];
  const owner = purpose === 'webhook-endpoint' ? sql<number>`0` : sql.ref<number>('account_id');
  return {
    countOlder: prepareQuery(entity, (db, { newest }: { newest: number }) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll().as('rows'))
        .where(column, 'is not', null)
        .where('encryption_version', '<>', newest),
    ),
    selectOlder: prepareQuery(entity, (db, { newest, after }: { newest: number; after: number }) =>
      db
        .selectFrom(table)
        .select(['id', `${column} as sealed`, 'encryption_version as version'])
        .select(owner.as('owner'))
        .where(column, 'is not', null)
        .where('encryption_version', '<>', newest)
        .where('id', '>', after)
        .orderBy('id')
        .limit(batchSize)
        .$narrowType<{ sealed: NotNull; version: NotNull }>(),
    ),
    // `updated_at` stays, because the sealed content is the same.
    updateSealed: prepareQuery(entity, (db, { id, sealed, jwe, version }: Resealed) =>
      db
        .updateTable(table)
        .set(column, jwe)
        .set('encryption_version', version)
        .where('id', '=', id)
        .where(column, '=', sealed)
        .returning('id'),
    ),
  };
}

/** Makes the rewrapping of a column: it seals the values again under the newest key-encryption key. */
function sealedValues(what: string, purpose: Purpose) {
  const { countOlder, selectOlder, updateSealed } = prepareQueries(purpose);
  return (sealer: Sealer): Rewrapping<SealedRow> => {
    const [newest] = sealer.versions;
    return {
      what,
      count: async (db) => Number((await countOlder(db, { newest }))[0]?.rows),
      next: (db, after) => selectOlder(db, { newest, after }),
      prepare: async ({ id, owner, sealed, version }) => {
        const binding = { purpose, accountId: owner, rowId: id };
        const opened = await sealer.open(sealed, { ...binding, version });
        const resealed = await sealer.seal(opened, binding);
        return async (db) => (await updateSealed(db, { id, sealed, ...resealed })).length > 0;
      },
    };
  };
}

/** The rewrapping of private keys. */
export const privateKeys = sealedValues('private keys', 'private-key');

/** The rewrapping of the sealed copies of API keys. */
export const sealedApiKeys = sealedValues('sealed copies of API keys', 'api-key');

/** The rewrapping of the secrets of the webhook endpoints that operators have added. */
export const webhookSecrets = sealedValues('secrets of webhook endpoints', 'webhook-endpoint');
