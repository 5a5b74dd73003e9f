import { secretOfSamePrefix, withBadChecksum } from '../support/api-key-secrets.ts';
import { type HttpRequest, rest } from './http.ts';
import type { KeySecrets } from './key-secrets.ts';
import type { Operation } from './operation.ts';
import { statusOnly, tokenProbes, whole } from './probes.ts';
import type { World } from './world.ts';

const verifyRequest = (key: unknown, token?: string, more: object = {}) =>
  rest('POST', '/keys/verify', token, JSON.stringify({ key, ...more }));
const authorizeRequest = (key?: string) => rest('GET', '/keys/authorize', key);

/** Keys that let nobody in, by what is wrong with them. */
const badKeys = ({ valid, refused }: KeySecrets): [name: string, key: string][] => {
  const [good = ''] = valid;
  return [
    ...Object.entries(refused),
    ['unknown', secretOfSamePrefix(good)],
    ['mistyped', withBadChecksum(good)],
    ['malformed', 'sk-1'],
  ];
};

function verify(world: World, secrets: KeySecrets, database: string): Operation {
  const { verifier } = world;
  const [good] = secrets.valid;
  const requests = secrets.valid.map((key) => verifyRequest(key, verifier));
  return {
    name: 'rest-verify',
    title: `${database}: verification for a server (\`POST /api/v1/keys/verify\`)`,
    on: 'rest',
    requests,
    probes: [
      ...requests.slice(0, 2).map((request) => ({ name: 'a good key', request, view: whole() })),
      ...badKeys(secrets).map(([name, key]) => ({
        name: `a key that is ${name}`,
        request: verifyRequest(key, verifier),
        view: whole(),
      })),
      ...[1, undefined, 'k'.repeat(1001)].map((key) => ({
        name: 'a key that is not valid input',
        request: verifyRequest(key, verifier),
        view: statusOnly,
      })),
      { name: 'too few scopes', request: verifyRequest(good, world.tokens[0]?.token), view: whole() },
      ...tokenProbes(world, (token) => verifyRequest(good, token), whole()),
    ],
  };
}

function authorize(secrets: KeySecrets, database: string): Operation {
  const requests = secrets.valid.map((key) => authorizeRequest(key));
  return {
    name: 'rest-authorize',
    title: `${database}: verification for a reverse proxy (\`GET /api/v1/keys/authorize\`)`,
    on: 'rest',
    requests,
    probes: [
      ...requests.slice(0, 2).map((request) => ({ name: 'a good key', request, view: whole() })),
      ...badKeys(secrets).map(([name, key]) => ({
        name: `a key that is ${name}`,
        request: authorizeRequest(key),
        view: whole(),
      })),
      { name: 'no key', request: authorizeRequest(), view: whole() },
    ],
  };
}

/** Of a key that is used now and then, each use takes units of its quota anew: the load goes to few. */
const ruledKeys = 200;

/** Of a key that is used all the time, one signature serves 5 seconds: these are used that often in each slice. */
const busyKeys = 20;

const requirement = { 'x-keyward-require': 'documents.read' };

/** The question of an OAuth client about a key. */
function introspectRequest(key: string, token: string): HttpRequest {
  const request = rest('POST', '/oauth/introspect', token, `${new URLSearchParams({ token: key })}`);
  return { ...request, headers: { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' } };
}

const requiring = (request: HttpRequest): HttpRequest => ({
  ...request,
  headers: { ...request.headers, ...requirement },
});

/**
 * Verifications that are compared with each other: for a reverse proxy, with keys that have no rules of their own and
 * with keys that have all; and for a server, in the two forms, and without and with an assertion.
 */
export function ruleOperations({ valid, ruled }: KeySecrets, verifier: string) {
  const operation = (
    name: string,
    keys: readonly string[],
    toRequest: (key: string) => HttpRequest,
  ): Operation => {
    const requests = keys.slice(0, ruledKeys).map(toRequest);
    const [request] = requests;
    return {
      name,
      title: name,
      on: 'rest',
      requests,
      probes: request ? [{ name: 'a good key', request, view: whole() }] : [],
    };
  };
  const busy = valid.slice(0, busyKeys);
  return {
    plain: operation('plain', valid, authorizeRequest),
    ruled: operation('ruled', ruled, (key) => requiring(authorizeRequest(key))),
    verify: operation('verify', valid, (key) => verifyRequest(key, verifier)),
    introspect: operation('introspect', valid, (key) => introspectRequest(key, verifier)),
    unsigned: operation('unsigned', busy, (key) => verifyRequest(key, verifier, { assertion: false })),
    signed: operation('signed', busy, (key) => verifyRequest(key, verifier, { assertion: true })),
  };
}

/** The door for a reverse proxy: one key again and again, and many of them, each in its turn. */
export const growthVerifications = ({ valid }: KeySecrets): Operation[] =>
  [valid.slice(0, 1), valid].map((keys, place) => ({
    name: place === 0 ? 'rest-authorize, one key' : 'rest-authorize, each its own key',
    title: 'verification for a reverse proxy',
    on: 'rest',
    requests: keys.map((key) => authorizeRequest(key)),
    probes: [],
  }));

/**
 * The two ways to verify an API key.
 * @param database what they are told to run on
 */
export const doorOperations = (world: World, secrets: KeySecrets, database: string): Operation[] => [
  verify(world, secrets, database),
  authorize(secrets, database),
];
