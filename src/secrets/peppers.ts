import { createHmac } from 'node:crypto';
import { type SecretList, type VersionedKey, versionsOf } from './secret-list.ts';

/** What is kept of a secret to know it again. */
export interface PepperedDigest {
  /** The pepper's version. */
  readonly version: number;
  /** HMAC-SHA-256 of the secret under that pepper: 32 bytes. */
  readonly digest: Buffer;
}

/** Turns secrets into what may be stored: without the peppers, nothing can be tried against it. */
export interface Peppers {
  /** The versions that are configured; the first writes. */
  readonly versions: readonly [number, ...number[]];
  /** A secret's digest under the pepper that writes. */
  digest(secret: string): PepperedDigest;
  /** Its digests under every pepper, to find what was stored under any; that of the pepper that writes comes first. */
  digests(secret: string): readonly [PepperedDigest, ...PepperedDigest[]];
}

// A KeyObject is imported once: with the bare bytes, an HMAC takes several times as long.
const digestUnder = ({ version, key }: VersionedKey, secret: string): PepperedDigest => ({
  version,
  digest: createHmac('sha256', key).update(secret).digest(),
});

/** @param list the first writes, all read */
export function createPeppers(list: SecretList): Peppers {
  const [newest, ...older] = list;
  return {
    versions: versionsOf(list),
    digest: (secret) => digestUnder(newest, secret),
    digests: (secret) => [digestUnder(newest, secret), ...older.map((pepper) => digestUnder(pepper, secret))],
  };
}
