import { prepareQuery } from '../database/prepare-query.ts';
import { ApiKey } from '../database/tables.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { batchSize, type Rewrapping } from './rewrap.ts';

const countOlder = prepareQuery(ApiKey, (db, { newest }: { newest: number }) =>
  db
    .selectFrom('api_key')
    .select(({ fn }) => fn.countAll().as('rows'))
    .where('encrypted_key', 'is not', null)
    .where('encryption_version', '<>', newest),
);

const selectOlder = prepareQuery(ApiKey, (db, { newest, after }: { newest: number; after: number }) =>
  db
    .selectFrom('api_key')
    .select(['id', 'account_id', 'encrypted_key', 'encryption_version'])
    .where('encrypted_key', 'is not', null)
    .where('encryption_version', '<>', newest)
    .where('id', '>', after)
    .orderBy('id')
    .limit(batchSize),
);

interface Resealed {
  readonly id: number;
  readonly old: string;
  readonly jwe: string;
  readonly version: number;
}

const updateSealed = prepareQuery(ApiKey, (db, { id, old, jwe, version }: Resealed) =>
  db
    .updateTable('api_key')
    .set({ encrypted_key: jwe, encryption_version: version })
    .where('id', '=', id)
    .where('encrypted_key', '=', old)
    .returning('id'),
);

/** The sealed copies of API keys. */
export function sealedApiKeys(
  sealer: Sealer,
): Rewrapping<Pick<ApiKey, 'id' | 'account' | 'encryptedKey' | 'encryptionVersion'>> {
  const [newest] = sealer.versions;
  return {
    what: 'sealed copies of API keys',
    count: async (db) => Number((await countOlder(db, { newest }))[0]?.rows),
    next: (db, after) => selectOlder(db, { newest, after }),
    prepare: async ({ id, account, encryptedKey, encryptionVersion }) => {
      const old = encryptedKey ?? '';
      const binding = { purpose: 'api-key', accountId: account, rowId: id } as const;
      const opened = await sealer.open(old, { ...binding, version: encryptionVersion });
      const sealed = await sealer.seal(opened, binding);
      return async (db) => (await updateSealed(db, { id, old, ...sealed })).length > 0;
    },
  };
}
