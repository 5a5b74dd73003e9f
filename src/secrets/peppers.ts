import { createHmac } from 'node:crypto';
import { type SecretList, type VersionedKey, versionsOf } from './secret-list.ts';

/** The stored form of a secret, which identifies the secret later. */
export interface PepperedDigest {
  /** The pepper's version. */
  readonly version: number;
  /** HMAC-SHA-256 of the secret under that pepper: 32 bytes. */
  readonly digest: Buffer;
}

// Node imports a KeyObject once. With the bare bytes, an HMAC takes several times as long.
const digestUnder = ({ version, key }: VersionedKey, secret: string): PepperedDigest => ({
  version,
  digest: createHmac('sha256', key).update(secret).digest(),
});

/**
 * Makes the peppers ready for use.
 * @param list the first pepper makes new digests; all peppers find stored ones
 */
export function createPeppers(list: SecretList) {
  const [newest, ...older] = list;
  return {
    /** The configured versions; the first is the version of new digests. */
    versions: versionsOf(list),
    /** Returns a secret's digest under the first pepper. */
    digest: (secret: string): PepperedDigest => digestUnder(newest, secret),
    /**
     * Returns a secret's digests under all peppers, to find a row that any pepper wrote; the first pepper's digest
     * comes first.
     */
    digests: (secret: string): readonly [PepperedDigest, ...PepperedDigest[]] => [
      digestUnder(newest, secret),
      ...older.map((pepper) => digestUnder(pepper, secret)),
    ],
  };
}

/** Turns secrets into digests for storage. Without the peppers, an attacker cannot test guesses against a digest. */
export type Peppers = Readonly<ReturnType<typeof createPeppers>>;
