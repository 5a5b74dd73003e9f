import { createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto';

/** A signing key's public half, with the one use that it has here. */
export interface VerificationKey {
  /** The issuer's name for it; where it gave none, a digest of the key. */
  readonly kid: string;
  readonly publicKey: KeyObject;
  /** The algorithms that it may verify. */
  readonly algorithms: readonly string[];
}

/** An issuer's verification keys, by `kid`, as they were read at one time. */
export type KeySet = ReadonlyMap<string, VerificationKey>;

/** A JSON Web Key as it is published (RFC 7517, section 4). */
interface PublishedKey extends JsonWebKey {
  readonly kid?: unknown;
  readonly use?: unknown;
  readonly key_ops?: unknown;
  readonly alg?: unknown;
}

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const curveAlgorithms: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
};
const edwardsAlgorithms: readonly string[] = ['EdDSA', 'Ed25519'];

const algorithmsOf = ({ kty, crv }: PublishedKey): readonly string[] => {
  if (kty === 'RSA') return rsaAlgorithms;
  if (kty === 'OKP') return crv === 'Ed25519' ? edwardsAlgorithms : [];
  const algorithm = kty === 'EC' && crv !== undefined ? curveAlgorithms[crv] : undefined;
  return algorithm === undefined ? [] : [algorithm];
};

const isForVerification = ({ use, key_ops }: PublishedKey): boolean =>
  (use === undefined || use === 'sig') &&
  (key_ops === undefined || (Array.isArray(key_ops) && key_ops.includes('verify')));

const isStrong = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
  asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;

const digestOf = (key: KeyObject): string =>
  hash('sha256', key.export({ format: 'der', type: 'spki' }), 'base64url');

/**
 * The key that a token names. Of a token that names none, it is the issuer's only key of the token's algorithm.
 * @param kid the token's `kid`, and
 * @param algorithm its `alg`: of any type, as they came
 */
export function findKey(keys: KeySet, kid: unknown, algorithm: unknown): VerificationKey | undefined {
  // Whatever is not text finds nothing.
  if (kid !== undefined) return keys.get(kid as string);
  const fitting = [...keys.values()].filter((key) => canVerify(key, algorithm));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Whether a key may verify signatures of an algorithm. */
export const canVerify = ({ algorithms }: VerificationKey, algorithm: unknown): boolean =>
  algorithms.some((each) => each === algorithm);

/**
 * A published key as a verification key.
 * @returns undefined for one that signs no tokens: for encryption, symmetric, too weak, unreadable
 */
export function parseVerificationKey(published: unknown): VerificationKey | undefined {
  if (typeof published !== 'object' || published === null) return undefined;
  const jwk = published as PublishedKey;
  const possible = algorithmsOf(jwk);
  const algorithms = jwk.alg === undefined ? possible : possible.filter((algorithm) => algorithm === jwk.alg);
  const { kid } = jwk;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  if (algorithms.length === 0 || !isForVerification(jwk)) return undefined;
  try {
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    return isStrong(publicKey) ? { kid: kid ?? digestOf(publicKey), publicKey, algorithms } : undefined;
  } catch {
    return undefined;
  }
}

/** How many keys of a set are named, and how much of what the issuer says of each. */
const mostNamed = 20;
const mostCharacters = 64;

/** A key set that could be read, and holds no key that can be used. The message says of each key why not. */
export class UnusableKeySet extends Error {
  override readonly name = 'UnusableKeySet';

  /** @param published the set's keys, as they are published */
  constructor(published: readonly unknown[]) {
    const reasons = published.slice(0, mostNamed).map(describeUnusableKey);
    if (published.length > mostNamed) reasons.push(`${published.length - mostNamed} more`);
    super(['no key of the set can be used', reasons.join('; ')].filter(Boolean).join(': '));
  }
}

/** What an issuer says, as far as it is shown. */
const shown = (value: unknown): string => `${JSON.stringify(value)}`.slice(0, mostCharacters);

/** Why a key of a set verifies no tokens. It asks {@link parseVerificationKey} itself, so the two cannot differ. */
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

/** The size or the type that is refused; of a private or symmetric key no word more. */
function describeMaterial({ kty, crv, n }: JsonWebKey): string {
  if (kty === 'RSA' && typeof n === 'string')
    return `is of RSA with ${Buffer.from(n, 'base64url').length * 8} bits`;
  return `is of the type ${[kty, crv]
    .filter((each) => each !== undefined)
    .map(shown)
    .join(' ')}`;
}
