import type { JsonWebKey } from 'node:crypto';
import { parseVerificationKey } from './verification-key.ts';

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
