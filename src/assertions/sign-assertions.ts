import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import { LRUCache } from 'lru-cache';
import type { AssertedKey, Assertions, IssuedAssertion } from '../operations/context.ts';
import { type AssertionKeys, publicKeySet } from '../secrets/assertion-keys.ts';

/** What the operator decides about assertions. */
export interface AssertionSettings {
  readonly keys: AssertionKeys;
  /** The services that may get assertions; the first is the usual one. */
  readonly audiences: readonly [string, ...string[]];
  /** The longest life of an assertion, in seconds. */
  readonly seconds: number;
}

/** The most characters of the assertions that may be given again, and of what they say. */
const mostRemembered = 10_000_000;

/** The longest time for which an assertion may be given again, in milliseconds. */
const givenAgainFor = 5000;

/** An assertion that may be given again. */
interface Given {
  /** What it says, and the state of the key. */
  readonly facts: string;
  readonly token: string;
  /** Until when it may be given again, by `performance.now()`. */
  readonly until: number;
}

const namesOf = ({ organization, plan }: AssertedKey) => ({
  // Verifiers do not expect null.
  ...(organization !== null && { organization_id: organization }),
  ...(plan !== null && { plan }),
});

/**
 * What an assertion says beside its times, by the claims of JWT access tokens (RFC 9068, section 2.2). All that the
 * standard does not name is in one member.
 */
const claimsOf = (key: AssertedKey, scope: readonly string[]) => ({
  sub: key.subject,
  client_id: `key:${key.keyId}`,
  scope: scope.join(' '),
  keyward: { user_id: key.userId, issuer: key.issuer, ...namesOf(key) },
});

/**
 * Makes what signs assertions: JWTs in the profile of access tokens (RFC 9068).
 * @param issuer the URL by which clients reach this service
 */
export function signAssertions({ keys, audiences, seconds }: AssertionSettings, issuer: string): Assertions {
  const [{ kid, algorithm, privateKey }] = keys;
  const header = { alg: algorithm, typ: 'at+jwt', kid };
  const again = Math.min(givenAgainFor, (seconds * 1000) / 4);
  const given = new LRUCache<number, Given>({
    maxSize: mostRemembered,
    sizeCalculation: ({ facts, token }) => facts.length + token.length,
  });

  const sign = async (
    claims: object,
    audience: string,
    { endsAt }: AssertedKey,
  ): Promise<IssuedAssertion> => {
    const now = Math.floor(Date.now() / 1000);
    const end = endsAt === null ? Number.POSITIVE_INFINITY : Math.floor(endsAt.getTime() / 1000);
    const exp = Math.min(now + seconds, end);
    const token = await new SignJWT({
      iss: issuer,
      aud: audience,
      ...claims,
      iat: now,
      exp,
      jti: randomUUID(),
    })
      .setProtectedHeader(header)
      .sign(privateKey);
    return { token, expiresIn: Math.max(exp - now, 0) };
  };

  return {
    keySet: publicKeySet(keys),
    audiences,
    about: async (key) => {
      const claims = claimsOf(key, key.scope);
      const facts = JSON.stringify([claims, key.endsAt, key.state]);
      const known = given.get(key.secretId);
      if (known?.facts === facts && performance.now() < known.until) return known.token;
      const until = performance.now() + again;
      const { token } = await sign(claims, audiences[0], key);
      given.set(key.secretId, { facts, token, until });
      return token;
    },
    issue: (key, { audience, scope }) => sign(claimsOf(key, scope), audience, key),
  };
}
