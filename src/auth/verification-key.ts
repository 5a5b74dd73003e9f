import { createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto';

/** The public half of a signing key. Its only use here is to verify tokens. */
export interface VerificationKey {
  /** The issuer's name for the key; a digest of the key if the issuer gave no name. */
  readonly kid: string;
  readonly publicKey: KeyObject;
  /** The algorithms whose signatures the key may verify. */
  readonly algorithms: readonly string[];
}

/** An issuer's verification keys, in its order: the result of one read. Several may have the same `kid` (RFC 7517, section 4.5). */
export type KeySet = readonly VerificationKey[];

/** The algorithms of a key by its type: of RSA, or of a type with a curve. */
const algorithmsByType: Readonly<Record<string, readonly string[]>> = {
  RSA: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  'EC P-256': ['ES256'],
  'EC P-384': ['ES384'],
  'EC P-521': ['ES512'],
  'OKP Ed25519': ['EdDSA', 'Ed25519'],
};

const algorithmsOf = ({ kty, crv }: JsonWebKey): readonly string[] =>
  algorithmsByType[kty === 'RSA' ? kty : `${kty} ${crv}`] ?? [];

const isForVerification = ({ use, key_ops }: JsonWebKey): boolean =>
  (use === undefined || use === 'sig') &&
  (key_ops === undefined || (Array.isArray(key_ops) && key_ops.includes('verify')));

const isStrong = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;

const digestOf = (key: KeyObject): string =>
  hash('sha256', key.export({ format: 'der', type: 'spki' }), 'base64url');

/** The keys of a set with a name. A `kid` of any other type than a string finds none. */
export const keysOf = (keys: KeySet, kid: unknown): KeySet => keys.filter((key) => key.kid === kid);

/**
 * Finds the key of a token: of those with the token's `kid`, the first for its algorithm. If the token names no key, the
 * issuer's only key for the token's algorithm is the one.
 * @param kid the token's `kid`, unchecked: of any type
 * @param algorithm the token's `alg`, unchecked: of any type
 * @returns undefined if the set has no such key, or several keys for the algorithm of a token without a `kid`; a key for
 *   another algorithm if the set has no better one of this name
 */
export function findKey(keys: KeySet, kid: unknown, algorithm: unknown): VerificationKey | undefined {
  const named = kid === undefined ? keys : keysOf(keys, kid);
  const fitting = named.filter((key) => canVerify(key, algorithm));
  if (kid !== undefined) return fitting[0] ?? named[0];
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Whether a key may verify signatures of an algorithm. */
export const canVerify = ({ algorithms }: VerificationKey, algorithm: unknown): boolean =>
  algorithms.some((each) => each === algorithm);

/**
 * Parses a published key.
 * @returns undefined for a key that signs no tokens: for encryption, symmetric, too weak, unreadable
 */
export function parseVerificationKey(published: unknown): VerificationKey | undefined {
  if (typeof published !== 'object' || published === null) return undefined;
  const jwk = published as JsonWebKey;
  const { kid, alg } = jwk;
  const possible = algorithmsOf(jwk);
  const algorithms = alg === undefined ? possible : possible.filter((algorithm) => algorithm === alg);
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  if (algorithms.length === 0 || !isForVerification(jwk)) return undefined;
  try {
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    return isStrong(publicKey) ? { kid: kid ?? digestOf(publicKey), publicKey, algorithms } : undefined;
  } catch {
    return undefined;
  }
}

/** The most keys that an error message names, and the most characters of each value that the issuer published. */
const mostNamed = 20;
const mostCharacters = 64;

/** A readable key set without a usable key. The error message says of each key why it is unusable. */
export class UnusableKeySet extends Error {
  override readonly name = 'UnusableKeySet';

  /** @param published the keys of the set, unchanged */
  constructor(published: readonly unknown[]) {
    const reasons = published.slice(0, mostNamed).map(describeUnusableKey);
    if (published.length > mostNamed) reasons.push(`${published.length - mostNamed} more`);
    super(['no key of the set can be used', reasons.join('; ')].filter(Boolean).join(': '));
  }
}

/** The beginning of a published value, for an error message. */
const shown = (value: unknown): string => `${JSON.stringify(value)}`.slice(0, mostCharacters);

/**
 * Describes why a key verifies no tokens. The answer always agrees with {@link parseVerificationKey}, because it
 * calls that function.
 */
function describeUnusableKey(published: unknown): string {
  if (typeof published !== 'object' || published === null) return `${shown(published)} is no key`;
  const { kid, use, key_ops, alg, ...material } = published as JsonWebKey;
  const isUsable = (members: object): boolean =>
    parseVerificationKey({ kid: 'any', ...material, ...members }) !== undefined;
  const name = `the key ${shown(kid)}`;
  if (!isUsable({})) return `${name} ${describeMaterial(material)}`;
  const claims = Object.entries({ kid, use, key_ops, alg }).filter(
    ([claim, value]) => !isUsable({ [claim]: value }),
  );
  return `${name} has ${claims.map(([claim, value]) => `\`${claim}\` ${shown(value)}`).join(' and ')}`;
}

/** Names the refused size or type. It must not show any other part of the key, which may be private or symmetric. */
function describeMaterial({ kty, crv, n }: JsonWebKey): string {
  if (kty === 'RSA' && typeof n === 'string')
    return `is of RSA with ${Buffer.from(n, 'base64url').length * 8} bits`;
  return `is of the type ${[kty, crv]
    .filter((each) => each !== undefined)
    .map(shown)
    .join(' ')}`;
}
