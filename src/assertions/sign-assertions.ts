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
  /** What it says of the key, and the key's state. */
  readonly key: AssertedKey;
  readonly token: string;
  /** When it was signed, by `performance.now()`, and in milliseconds since 1970. */
  readonly at: number;
  readonly signedAt: number;
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

const areSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((each, index) => each === others[index]);

/** Whether nothing of a key has changed. Each answer asks this: it compares, and writes nothing down. */
const isSame = (one: AssertedKey, other: AssertedKey): boolean =>
  one.secretId === other.secretId &&
  one.endsAt?.getTime() === other.endsAt?.getTime() &&
  areSame(one.scope, other.scope) &&
  areSame(one.state, other.state) &&
  areSame(namesIn(one), namesIn(other));

const namesIn = ({ userId, subject, issuer, organization, plan }: AssertedKey) => [
  userId,
  subject,
  issuer,
  organization,
  plan,
];

/** Makes what signs the claims about a key. An assertion never outlives its key. */
const createSign =
  ({ keys: [first], seconds }: AssertionSettings, iss: string) =>
  async (claims: object, aud: string, { endsAt }: AssertedKey): Promise<IssuedAssertion> => {
    const iat = Math.floor(Date.now() / 1000);
    const end = endsAt === null ? Number.POSITIVE_INFINITY : Math.floor(endsAt.getTime() / 1000);
    const exp = Math.min(iat + seconds, end);
    const token = await new SignJWT({ iss, aud, ...claims, iat, exp, jti: randomUUID() })
      .setProtectedHeader({ alg: first.algorithm, typ: 'at+jwt', kid: first.kid })
      .sign(first.privateKey);
    return { token, expiresIn: Math.max(Math.floor(exp - Date.now() / 1000), 0) };
  };

/**
 * Makes what signs assertions: JWTs in the profile of access tokens (RFC 9068).
 * @param issuer the URL by which clients reach this service
 */
export function signAssertions(settings: AssertionSettings, issuer: string): Assertions {
  const { keys, audiences, seconds } = settings;
  const sign = createSign(settings, issuer);
  const again = Math.min(givenAgainFor, (seconds * 1000) / 4);
  const given = new LRUCache<number, Given>({
    maxSize: mostRemembered,
    sizeCalculation: ({ key, token }) => 2 * JSON.stringify(key).length + token.length,
    ttl: givenAgainFor,
  });

  /** Whether little time has passed, by both clocks: one may be set, and the other stand still. */
  const isRecent = ({ at, signedAt }: Given): boolean => {
    const age = Date.now() - signedAt;
    return performance.now() < at + again && age >= 0 && age < again;
  };

  let sweptAt = performance.now();
  /** Forgets what may not be given again: it has names of people. */
  const sweep = (now: number) => {
    if (now < sweptAt + givenAgainFor) return;
    sweptAt = now;
    given.purgeStale();
  };

  const signAnew = async (key: AssertedKey): Promise<string> => {
    const [at, signedAt] = [performance.now(), Date.now()];
    const { token } = await sign(claimsOf(key, key.scope), audiences[0], key);
    given.set(key.keyId, { key, token, at, signedAt });
    sweep(at);
    return token;
  };

  return {
    keySet: publicKeySet(keys),
    audiences,
    about: (key) => {
      const last = given.get(key.keyId);
      return last && isRecent(last) && isSame(last.key, key) ? last.token : signAnew(key);
    },
    noteChange: ({ accountId, keyId }) => {
      if (keyId !== undefined) given.delete(keyId);
      else for (const { key } of given.values()) if (key.userId === accountId) given.delete(key.keyId);
    },
    issue: (key, { audience, scope }) => sign(claimsOf(key, scope), audience, key),
  };
}
