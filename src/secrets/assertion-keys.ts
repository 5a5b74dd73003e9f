import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { z } from 'zod';
import { decodeBase64 } from './secret-list.ts';

/** The ways to sign an assertion: ECDSA with P-256 (RFC 7518, section 3.4) and Ed25519 (RFC 8037, section 3.1). */
export const assertionAlgorithms = ['ES256', 'EdDSA'] as const;

/** One of {@link assertionAlgorithms}. */
export type AssertionAlgorithm = (typeof assertionAlgorithms)[number];

/** A key that signs assertions. */
export interface AssertionKey {
  /** The id by which verifiers find the public key. */
  readonly kid: string;
  readonly algorithm: AssertionAlgorithm;
  readonly privateKey: KeyObject;
}

/** The keys for assertions: the first signs, and all are published. */
export type AssertionKeys = readonly [AssertionKey, ...AssertionKey[]];

/** The characters of a key's id, as a pattern. */
const kidPattern = String.raw`[\w.-]{1,64}`;
const wholeKid = new RegExp(`^${kidPattern}$`);
const entryPattern = new RegExp(`^(${kidPattern}):(.+)$`);

/** Whether a text may be the id of a key. */
export const isKid = (text: string): boolean => wholeKid.test(text);

/** Makes the id of a new key: no key before it had the same. */
export const createKid = (): string => randomBytes(6).toString('base64url');

/** The most keys of a list: a verifier may read all of them. */
const most = 10;

/** The algorithm of a private key; undefined: it is of a kind that no assertion is signed with. */
function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): AssertionAlgorithm | undefined {
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'ES256' : undefined;
}

/** Reads a private key from its PKCS#8 form (RFC 5958); undefined if the bytes are none. */
function readPrivateKey(key: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } catch {
    return undefined;
  }
}

const asPrinted = 'as npm run assertion-key prints it';

/** Reads one `KID:KEY`, or says what is wrong with it. The sentence shows nothing of the key. */
function parseEntry(entry: string, place: number): AssertionKey | string {
  const [, kid, text] = entryPattern.exec(entry) ?? [];
  if (!kid || !text) return `entry ${place} must be KID:KEY, ${asPrinted}`;
  const bytes = decodeBase64(text);
  const privateKey = bytes && readPrivateKey(bytes);
  if (!privateKey) return `entry ${place} must have a private key, PKCS#8 in base64, ${asPrinted}`;
  const algorithm = algorithmOf(privateKey);
  return algorithm ? { kid, algorithm, privateKey } : `entry ${place} must have a key of P-256 or Ed25519`;
}

/**
 * Whether two keys are one. To compare keys of different types would leave an error in OpenSSL's queue, which the next
 * reading of a key would throw.
 */
const isSameKey = (one: AssertionKey, other: AssertionKey): boolean =>
  one.algorithm === other.algorithm && one.privateKey.equals(other.privateKey);

/** Finds the entries whose id or key already occurred earlier in the list; one sentence for each. */
const repetitions = (list: readonly (AssertionKey | string)[]): string[] =>
  list.flatMap((entry, at) => {
    if (typeof entry === 'string') return [];
    const isSame = (other: AssertionKey | string) =>
      typeof other !== 'string' && (other.kid === entry.kid || isSameKey(other, entry));
    const before = list.findIndex(isSame);
    return before < at ? [`entries ${before + 1} and ${at + 1} have the same id or the same key`] : [];
  });

/**
 * The schema of a list of `KID:KEY`, separated by commas or white space. A key is PKCS#8 in base64. No fault shows
 * anything of a key.
 */
export const assertionKeyList = z.string().transform((text, context): AssertionKeys => {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const parsed = entries.slice(0, most).map((entry, at) => parseEntry(entry, at + 1));
  const keys = parsed.filter((entry) => typeof entry !== 'string');
  const faults = [...parsed.filter((entry) => typeof entry === 'string'), ...repetitions(parsed)];
  if (entries.length === 0) faults.push('must have at least one KID:KEY');
  if (entries.length > most) faults.push(`must have at most ${most} entries`);
  for (const fault of faults) context.addIssue(fault);
  return faults.length > 0 ? z.NEVER : (keys as [AssertionKey, ...AssertionKey[]]);
});

const generate = (algorithm: AssertionAlgorithm): KeyObject =>
  algorithm === 'ES256'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    : generateKeyPairSync('ed25519').privateKey;

/** Makes a new key. */
export const createAssertionKey = (kid: string, algorithm: AssertionAlgorithm = 'ES256'): AssertionKey => ({
  kid,
  algorithm,
  privateKey: generate(algorithm),
});

/** Writes a key as `KID:KEY`. */
export const writeAssertionKey = ({ kid, privateKey }: AssertionKey): string =>
  `${kid}:${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')}`;

/** The public keys as a JWK Set (RFC 7517, section 5). */
export const publicKeySet = (keys: AssertionKeys) => ({
  keys: keys.map(({ kid, algorithm, privateKey }) => ({
    ...createPublicKey(privateKey).export({ format: 'jwk' }),
    kid,
    use: 'sig',
    alg: algorithm,
  })),
});
