import { createHmac } from 'node:crypto';
import { type SecretList, type VersionedKey, versionsOf } from './secret-list.ts';

/** The stored form of a secret, which identifies the secret later. */
export interface PepperedDigest {
  /** The pepper's version. */
  readonly version: number;
  /** HMAC-SHA-256 of the secret under that pepper: 32 bytes. */
  readonly digest: Buffer;
}

/** Turns secrets into digests for storage. Without the peppers, an attacker cannot test guesses against a digest. */
export interface Peppers {
  /** The configured versions; the first is the version of new digests. */
  readonly versions: readonly [number, ...number[]];
  /** Returns a secret's digest under the first pepper. */
  digest(secret: string): PepperedDigest;
  /**
   * Returns a secret's digests under all peppers, to find a row that any pepper wrote; the first pepper's digest
   * comes first.
   */
  digests(secret: string): readonly [PepperedDigest, ...PepperedDigest[]];
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
export function createPeppers(list: SecretList): Peppers {
  const [newest, ...older] = list;
  return {
    versions: versionsOf(list),
    digest: (secret) => digestUnder(newest, secret),
    digests: (secret) => [digestUnder(newest, secret), ...older.map((pepper) => digestUnder(pepper, secret))],
  };
}
