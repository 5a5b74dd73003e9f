import { hashWhole, importedDigests } from '../api-keys/verify/imported-keys.ts';
import { type Db, prepareQuery } from '../database/db.ts';
import { digestsInUse } from '../database/secret-versions.ts';
import { ApiKeySecret } from '../database/tables.ts';
import type { PepperedDigest } from '../secrets/peppers.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { batchSize, type Rewrapping } from './rewrap.ts';

const countOlder = prepareQuery(ApiKeySecret, (db, { newest, now }: { newest: number; now: Date }) =>
  digestsInUse(db, now)
    .select(({ fn }) => fn.countAll().as('rows'))
    .where('pepper_version', '<>', newest),
);

/** The most keys that the command names. */
const mostNamed = 20;

// Each key has one current secret.
const selectCurrent = prepareQuery(ApiKeySecret, (db, { newest, now }: { newest: number; now: Date }) =>
  digestsInUse(db, now)
    .select('api_key_secret.api_key_id')
    .where('works_until', 'is', null)
    .where('pepper_version', '<>', newest)
    .orderBy('api_key_secret.api_key_id')
    .limit(mostNamed + 1),
);

const lastOfFormer = prepareQuery(ApiKeySecret, (db, { newest, now }: { newest: number; now: Date }) =>
  digestsInUse(db, now)
    .select('works_until')
    .where('works_until', 'is not', null)
    .where('pepper_version', '<>', newest)
    .orderBy('works_until', 'desc')
    .limit(1),
);

// A sealed copy holds the key's current secret. The selected names are single words, because the entity has no
// property of these names and nothing renames them.
const selectOlder = prepareQuery(ApiKeySecret, (db, { newest, after }: { newest: number; after: number }) =>
  db
    .selectFrom('api_key_secret')
    .innerJoin('api_key', 'api_key.id', 'api_key_secret.api_key_id')
    .select(['api_key_secret.id', 'api_key_secret.api_key_id', 'digest', 'is_imported'])
    .select(['api_key.account_id as owner', 'encrypted_key as sealed', 'encryption_version as version'])
    .where('api_key_secret.works_until', 'is', null)
    .where('api_key.encrypted_key', 'is not', null)
    .where('api_key_secret.pepper_version', '<>', newest)
    .where('api_key_secret.id', '>', after)
    .orderBy('api_key_secret.id')
    .limit(batchSize),
);

type Older = Awaited<ReturnType<typeof selectOlder>>[number];

type Moved = Pick<Older, 'id'> & PepperedDigest & { readonly old: Uint8Array };

const updateDigest = prepareQuery(ApiKeySecret, (db, { id, old, digest, version }: Moved) =>
  db
    .updateTable('api_key_secret')
    .set({ digest, pepper_version: version })
    .where('id', '=', id)
    .where('digest', '=', old)
    .returning('id'),
);

/** Says which keys still need an older pepper, and what ends that. */
async function explain(db: Db, newest: number): Promise<string[]> {
  const values = { newest, now: new Date() };
  const ids = (await selectCurrent(db, values)).map(({ apiKey }) => apiKey);
  const [former] = await lastOfFormer(db, values);
  const named = `${ids.slice(0, mostNamed).join(', ')}${ids.length > mostNamed ? ', …' : ''}`;
  return [
    ...(ids.length > 0 ? [`needed until these keys are rotated or deactivated: ${named}`] : []),
    ...(former?.worksUntil
      ? [`needed by former secrets of rotated keys until ${former.worksUntil.toISOString()}`]
      : []),
  ];
}

/**
 * The rewrapping of API key digests. A new digest needs the secret, so only keys with a sealed copy of their secret
 * can move.
 */
export function digests({ peppers, sealer }: Secrets): Rewrapping<Older> {
  const [newest] = peppers.versions;
  return {
    what: 'digests of API keys',
    count: async (db) => Number((await countOlder(db, { newest, now: new Date() }))[0]?.rows),
    explain: (db) => explain(db, newest),
    next: (db, after) => selectOlder(db, { newest, after }),
    prepare: async ({ id, apiKey, digest: old, isImported, owner, sealed, version }) => {
      const binding = { purpose: 'api-key', accountId: owner, rowId: apiKey } as const;
      const secret = Buffer.from(await sealer.open(sealed ?? '', { ...binding, version })).toString();
      // Of imported keys, only one that was imported as a text has a sealed copy.
      const all = isImported ? importedDigests(peppers, hashWhole(secret)) : peppers.digests(secret);
      const isSame = all.some(({ digest }) => digest.equals(old));
      if (!isSame) throw new Error('The sealed copy is one of another secret');
      const moved = { id, old, ...all[0] };
      return async (db) => (await updateDigest(db, moved)).length > 0;
    },
  };
}
