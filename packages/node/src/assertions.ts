import { fromBase64 } from './base64.ts';
import { createCheck, notFound } from './check.ts';
import { fetchJson, logError, malformed, tell, within } from './fetch-json.ts';
import { differing, readBearer, valuesOf } from './request.ts';
import {
  type Caller,
  type CallerRequest,
  type Checker,
  KeywardError,
  type Needs,
  type Verification,
} from './types.ts';

/** Which assertions to accept. */
export interface AssertionOptions {
  /** Keyward's URL, as in `PUBLIC_URL`. */
  readonly issuer: string;
  /** Your service, as in `ASSERTION_AUDIENCE`. */
  readonly audience: string;
  /** Called if asking Keyward fails. Default: writes one line to stderr. */
  readonly onError?: (error: KeywardError) => void;
}

/** The most characters of an assertion. */
const longest = 16_384;

/** The longest time for reading the public keys, in milliseconds. */
const longestRead = 5000;

/** How far ahead Keyward's clock may be, in seconds. */
const leeway = 5;

/** How Keyward signs, by the kind of its key: the token has no say. */
const algorithms = {
  'EC P-256': { alg: 'ES256', name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  'OKP Ed25519': { alg: 'EdDSA', name: 'Ed25519' },
};

type PublicKey = (typeof algorithms)[keyof typeof algorithms] & {
  readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
};
type Members = Readonly<Record<string, unknown>>;

/** Reads the public keys, by their ids. Leaves out those of other kinds, and those that this runtime does not know. */
async function readKeys(url: string, signal: AbortSignal): Promise<ReadonlyMap<unknown, PublicKey>> {
  const { keys } = ((await fetchJson(url, { signal })) ?? {}) as { keys?: Members[] };
  if (!Array.isArray(keys)) throw malformed();
  const known = new Map<unknown, PublicKey>();
  for (const { kty, crv, x, y, kid } of keys) {
    const algorithm = algorithms[`${kty} ${crv}` as keyof typeof algorithms];
    const jwk = { kty, crv, x, y } as Readonly<Record<'kty' | 'crv' | 'x' | 'y', string>>;
    try {
      const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify']);
      known.set(kid, { ...algorithm, key });
    } catch {}
  }
  return known;
}

/**
 * Makes what finds public keys by their ids. They are kept for five minutes, and read again if an id is new, but at most
 * once in ten seconds.
 */
function createFinder({ issuer, onError = logError }: AssertionOptions) {
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json`;
  let keys: ReadonlyMap<unknown, PublicKey> = new Map();
  let freshUntil = 0;
  let readsAt = 0;
  let reading: Promise<void> | undefined;
  const isFresh = () => performance.now() < freshUntil;

  const read = async () => {
    try {
      keys = await within(longestRead, (signal) => readKeys(url, signal));
      freshUntil = performance.now() + 300_000;
    } catch (error) {
      tell(onError, error as KeywardError);
    } finally {
      readsAt = performance.now() + (isFresh() ? 10_000 : 1000);
      reading = undefined;
    }
  };

  return async (kid: unknown): Promise<PublicKey | undefined> => {
    if (!isFresh() || !keys.has(kid)) {
      if (performance.now() >= readsAt) {
        // One at a time. If a runtime drops it with its client, another begins later.
        readsAt = performance.now() + longestRead;
        reading = read();
      }
      await within(longestRead, async () => reading);
    }
    if (isFresh()) return keys.get(kid);
    throw new KeywardError('Keyward has just failed');
  };
}

/** Reads a part of a token. It must be an object: what is read of anything else is undefined, and refused. */
const toMembers = (text: string): Members => JSON.parse(new TextDecoder().decode(fromBase64(text)));

/** Whether the times and names are those of an assertion that is valid now, for this service. */
function isCurrent(
  { iss, aud, exp, nbf = 0, iat = 0 }: Members,
  { issuer, audience }: AssertionOptions,
): boolean {
  const now = Date.now() / 1000;
  const isPast = [nbf, iat].every((time) => typeof time === 'number' && time <= now + leeway);
  return iss === issuer && [aud].flat().includes(audience) && typeof exp === 'number' && exp > now && isPast;
}

/** What claims say, in the form of a verification. Undefined if they are not about a key. */
function toCaller({ scope, client_id, keyward }: Members, assertion: string): Caller | undefined {
  const key = Number(/^key:(\d{1,15})$/.exec(`${client_id}`)?.[1]);
  const { user_id, organization_id = null, plan = null } = (keyward ?? {}) as Partial<Caller>;
  if (!Number.isInteger(key) || !Number.isInteger(user_id) || typeof scope !== 'string') return undefined;
  return {
    ...notFound,
    valid: true,
    reason: null,
    key_id: key,
    user_id: user_id as number,
    owner_kind: organization_id === null ? 'person' : 'organization',
    organization_id,
    permissions: scope.split(' ').filter(Boolean),
    plan,
    assertion,
  };
}

/** Takes a token apart. Undefined if it is no assertion that is valid now for this service, whoever signed it. */
function parse(token: string, options: AssertionOptions) {
  if (token.length > longest || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
  const [head = '', body = '', tail = ''] = token.split('.');
  try {
    const { alg, kid, typ, crit } = toMembers(head);
    const claims = toMembers(body);
    const caller = toCaller(claims, token);
    if (typ !== 'at+jwt' || crit !== undefined || !caller || !isCurrent(claims, options)) return undefined;
    const signed = new TextEncoder().encode(`${head}.${body}`);
    return { alg, kid, caller, signed, signature: fromBase64(tail) };
  } catch {
    return undefined;
  }
}

/** Whether one of the permissions that a key has covers another, by its name or by a wildcard. */
const covers = (held: readonly string[], needed: string): boolean =>
  held.some(
    (name) =>
      name === '*' || name === needed || (name.endsWith('.*') && needed.startsWith(name.slice(0, -1))),
  );

/** Makes what verifies a token. */
function createVerify(options: AssertionOptions) {
  const find = createFinder(options);
  return async (token: string, { permissions = [] }: Needs): Promise<Verification> => {
    const parsed = parse(token, options);
    const found = parsed && (await find(parsed.kid));
    if (!found || found.alg !== parsed.alg) return notFound;
    const { caller, signature, signed } = parsed;
    if (!(await crypto.subtle.verify(found, found.key, signature, signed))) return notFound;
    const isEnough = permissions.every((name) => covers(caller.permissions, name));
    return isEnough ? caller : { ...caller, valid: false, reason: 'insufficient_permissions' };
  };
}

/** The assertion from the proxy, or else from the client. Empty if there are different ones. */
function readToken(request: CallerRequest): string | undefined {
  const [token, another] = differing(valuesOf(request, 'x-keyward-assertion'), /, /);
  return another === undefined ? token || readBearer(request) : '';
}

/**
 * Makes what checks assertions (`X-Keyward-Assertion` or `Authorization: Bearer`) by Keyward's public keys. Of the
 * verification, only the ids, the permissions and the plan are known. A deactivated key works for a minute at most.
 * @throws {TypeError} if an option is malformed, or a route has a `cost`
 */
export function createAssertions(options: AssertionOptions): Checker {
  if (!/^https?:/.test(options.issuer) || !options.audience)
    throw new TypeError('issuer or audience is malformed');
  const check = createCheck(readToken, createVerify(options));
  return {
    check: (needs) => {
      if (needs.cost !== undefined) throw new TypeError('An assertion cannot count a cost');
      return check(needs);
    },
  };
}
