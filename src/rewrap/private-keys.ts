import { prepareQuery } from '../database/prepare-query.ts';
import { PrivateKey } from '../database/tables.ts';
import type { Sealer } from '../secrets/sealer.ts';
import { batchSize, type Rewrapping } from './rewrap.ts';

const countOlder = prepareQuery(PrivateKey, (db, { newest }: { newest: number }) =>
  db
    .selectFrom('private_key')
    .select(({ fn }) => fn.countAll().as('rows'))
    .where('encryption_version', '<>', newest),
);

const selectOlder = prepareQuery(PrivateKey, (db, { newest, after }: { newest: number; after: number }) =>
  db
    .selectFrom('private_key')
    .select(['id', 'account_id', 'sealed_key', 'encryption_version'])
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

// `updated_at` stays: the key is the same.
const updateSealed = prepareQuery(PrivateKey, (db, { id, old, jwe, version }: Resealed) =>
  db
    .updateTable('private_key')
    .set({ sealed_key: jwe, encryption_version: version })
    .where('id', '=', id)
    .where('sealed_key', '=', old)
    .returning('id'),
);

/** The private keys. */
export function privateKeys(
  sealer: Sealer,
): Rewrapping<Pick<PrivateKey, 'id' | 'account' | 'sealedKey' | 'encryptionVersion'>> {
  const [newest] = sealer.versions;
  return {
    what: 'private keys',
    count: async (db) => Number((await countOlder(db, { newest }))[0]?.rows),
    next: (db, after) => selectOlder(db, { newest, after }),
    prepare: async ({ id, account, sealedKey, encryptionVersion }) => {
      const binding = { purpose: 'private-key', accountId: account, rowId: id } as const;
      const opened = await sealer.open(sealedKey, { ...binding, version: encryptionVersion });
      const sealed = await sealer.seal(opened, binding);
      return async (db) => (await updateSealed(db, { id, old: sealedKey, ...sealed })).length > 0;
    },
  };
}
