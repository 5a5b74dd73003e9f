import { createPrivateKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standsFor } from '../../src/plans/permissions.ts';
import type { AssertionAlgorithm } from '../../src/secrets/assertion-keys.ts';
import { type Ask, type Signer, verifiers } from '../support/assertion-verifiers.ts';
import { createTemporaryFolder, freePort, runScript, startProcess } from '../support/process.ts';
import { encode, signBytes } from '../support/token-forge.ts';

const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
const apiKeyType = 'urn:keyward:params:oauth:token-type:api-key';

const audiences = ['https://api.example.com', 'https://other.example.com'] as const;

/** A service that signs assertions, with a key that the test has too. */
async function startSigner(algorithm: AssertionAlgorithm, stack: AsyncDisposableStack) {
  const { path } = stack.use(await createTemporaryFolder());
  const made = await runScript('dist/server/assertion-key.js', ['--algorithm', algorithm, '--public'], {
    cwd: path,
  });
  const [entry = '', pem = ''] = made.stdout.split(/\n(?=-----BEGIN)/);
  const port = await freePort();
  const service = stack.use(
    await startProcess(path, {
      PORT: `${port}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ASSERTION_KEYS: entry,
      ASSERTION_AUDIENCE: audiences.join(','),
    }),
  );
  const { url } = service;
  const key = Buffer.from(entry.slice(entry.indexOf(':') + 1), 'base64');
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });

  const createKey = async (permissions: readonly string[]) => {
    const response = await fetch(`${url}/api/v1/auth/keys`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await service.token('alice')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ permissions }),
    });
    return (await response.json()) as { id: number; key: string };
  };

  /** What a proxy is told: the status, and the assertion for its application. */
  const authorize = async (secret: string) => {
    const response = await fetch(`${url}/api/v1/keys/authorize`, { headers: { 'x-api-key': secret } });
    return `${response.headers.get('x-keyward-assertion')}`;
  };

  const exchange = async (secret: string, parameters: Readonly<Record<string, string>>) => {
    const response = await fetch(`${url}/api/v1/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: tokenExchange,
        subject_token: secret,
        subject_token_type: apiKeyType,
        ...parameters,
      }),
    });
    return `${(await response.json()).access_token}`;
  };

  const keys = {
    reading: await createKey(['documents.read']),
    other: await createKey(['documents.read']),
    without: await createKey([]),
    all: await createKey(['*']),
  };
  const signer: Signer = { url, audience: audiences[0], algorithm, pem };
  return { ...signer, signer, privateKey, keys, authorize, exchange };
}

type World = Awaited<ReturnType<typeof startSigner>>;

const stack = new AsyncDisposableStack();
const worlds = new Map<AssertionAlgorithm, World>();

beforeAll(async () => {
  for (const algorithm of ['ES256', 'EdDSA'] as const)
    worlds.set(algorithm, await startSigner(algorithm, stack));
}, 60_000);
afterAll(() => stack.disposeAsync());

const worldOf = (algorithm: AssertionAlgorithm): World => worlds.get(algorithm) as World;

interface Recipe {
  /** Members in place of those of a good header; undefined leaves one out. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Members in place of good claims; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The key that signs, if it is not the service's. */
  readonly key?: KeyObject;
  /** The algorithm that signs, if it is not the service's. */
  readonly signedBy?: string;
}

const claimsOf = (assertion: string): JWTPayload => decodeJwt(assertion);

/** An assertion that is as good as the service's own, unless the recipe says otherwise. */
async function forge(world: World, { header, claims, key, signedBy }: Recipe = {}) {
  const assertion = await world.authorize(world.keys.reading.key);
  const input = [
    encode({ ...decodeProtectedHeader(assertion), ...header }),
    encode({ ...claimsOf(assertion), ...claims }),
  ].join('.');
  return `${input}.${encode(signBytes(signedBy ?? world.algorithm, key ?? world.privateKey, input))}`;
}

const now = () => Math.floor(Date.now() / 1000);

const strangerOf = (algorithm: AssertionAlgorithm) =>
  algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');

/** Assertions that nobody may accept. */
const forgeries: readonly (readonly [name: string, make: (world: World) => Promise<string>])[] = [
  ['nothing', async () => ''],
  ['no JWT', async () => 'an.opaque.token'],
  [
    'the signature of another assertion',
    async ({ authorize, keys }) => {
      const [header, payload] = (await authorize(keys.reading.key)).split('.');
      return [header, payload, (await authorize(keys.other.key)).split('.')[2]].join('.');
    },
  ],
  [
    'claims that somebody changed',
    async ({ authorize, keys }) => {
      const assertion = await authorize(keys.reading.key);
      const [header, , signature] = assertion.split('.');
      return [header, encode({ ...claimsOf(assertion), keyward: { user_id: 2 } }), signature].join('.');
    },
  ],
  ['no signature', async ({ authorize, keys }) => (await authorize(keys.reading.key)).replace(/[^.]*$/, '')],
  ['alg none', async (world) => (await forge(world, { header: { alg: 'none' } })).replace(/[^.]*$/, '')],
  [
    'HS256 with the public key as its secret',
    (world) =>
      forge(world, {
        header: { alg: 'HS256' },
        key: createSecretKey(Buffer.from(world.pem)),
        signedBy: 'HS256',
      }),
  ],
  ["a stranger's key", (world) => forge(world, { key: strangerOf(world.algorithm).privateKey })],
  [
    "a stranger's key that it brings along",
    (world) => {
      const { privateKey, publicKey } = strangerOf(world.algorithm);
      const jwk = publicKey.export({ format: 'jwk' });
      return forge(world, { header: { kid: undefined, jwk }, key: privateKey });
    },
  ],
  ['an unknown kid', (world) => forge(world, { header: { kid: 'unknown' } })],
  ['another typ', (world) => forge(world, { header: { typ: 'JWT' } })],
  ['an exp in the past', (world) => forge(world, { claims: { iat: now() - 180, exp: now() - 120 } })],
  ['no exp', (world) => forge(world, { claims: { exp: undefined } })],
  ['another issuer', (world) => forge(world, { claims: { iss: 'https://keyward.example.net' } })],
  ['no issuer', (world) => forge(world, { claims: { iss: undefined } })],
  ['another audience', ({ exchange, keys }) => exchange(keys.reading.key, { audience: audiences[1] })],
  ['no audience', (world) => forge(world, { claims: { aud: undefined } })],
];

/** What scopes allow, of a request that needs `documents.read`. */
const scopes = [
  ['documents.read', 200],
  ['billing.read documents.read', 200],
  ['documents.*', 200],
  ['*', 200],
  ['documents', 403],
  ['documents.write', 403],
  ['documents.readers', 403],
  ['documents.read.*', 403],
  ['my.documents.read', 403],
  ['documents.write my.*', 403],
  ['doc.* read', 403],
] as const;

const pairs = verifiers.flatMap(({ algorithms, ...verifier }) =>
  algorithms.map((algorithm) => ({ ...verifier, algorithm })),
);

for (const { name, isRun, algorithm, checksPermission, ignores, start } of pairs)
  describe.skipIf(!isRun)(`${name}, ${algorithm}`, () => {
    const own = new AsyncDisposableStack();
    let world: World;
    let ask: Ask;

    beforeAll(async () => {
      world = worldOf(algorithm);
      ask = await start(world.signer, own);
    }, 150_000);
    afterAll(() => own.disposeAsync());

    it('accepts an assertion, and reads whose it is', async () => {
      const { authorize, exchange, keys } = world;
      expect(await ask(await authorize(keys.reading.key))).toEqual({ status: 200, user: 1 });
      expect(await ask(await exchange(keys.reading.key, {}))).toEqual({ status: 200, user: 1 });
      // So the forgeries below are refused for their faults alone.
      expect(await ask(await forge(world))).toEqual({ status: 200, user: 1 });
    });

    it('accepts the longest assertion', async () => {
      const long = Array.from({ length: 97 }, (_, at) => `billing.${at}-`.padEnd(100, 'x'));
      const assertion = await forge(world, { claims: { scope: [...long, 'documents.read'].join(' ') } });
      expect(assertion.length).toBeGreaterThan(13_000);
      expect(await ask(assertion)).toEqual({ status: 200, user: 1 });
    });

    it('accepts an assertion from a clock that is three seconds ahead', async () => {
      const claims = { iat: now() + 3, exp: now() + 63 };
      expect(await ask(await forge(world, { claims }))).toEqual({ status: 200, user: 1 });
    });

    for (const [fault, make] of forgeries)
      if (ignores.includes(fault))
        it(`does not look for ${fault}`, async () => {
          expect(await ask(await make(world))).toEqual({ status: 200, user: 1 });
        });
      else
        it(`refuses ${fault}`, async () => {
          expect(await ask(await make(world))).toEqual({ status: 401 });
        });

    if (checksPermission)
      it('decides on a scope as Keyward does', async () => {
        const { exchange, keys, authorize } = world;
        for (const [scope, status] of scopes) {
          const { status: decided } = await ask(await exchange(keys.all.key, { scope }));
          expect([scope, decided]).toEqual([scope, status]);
          expect(scope.split(' ').some((held) => standsFor(held, 'documents.read'))).toBe(status === 200);
        }
        expect(await ask(await authorize(keys.without.key))).toEqual({ status: 403 });
      });
  });

describe('a client of OAuth (oauth4webapi) that exchanges a key', () => {
  const local = { [oauth.allowInsecureRequests]: true };
  const client = { client_id: 'any' };

  it('finds the endpoint by the metadata, asks, and gets an access token in the profile of RFC 9068', async () => {
    const { url, keys } = worldOf('ES256');
    const issuer = new URL(url);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...local });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const exchange = async (secret: string, more: Readonly<Record<string, string>> = {}) => {
      const parameters = { subject_token: secret, subject_token_type: apiKeyType, ...more };
      const none = oauth.None();
      return await oauth.processGenericTokenEndpointResponse(
        server,
        client,
        await oauth.genericTokenEndpointRequest(server, client, none, tokenExchange, parameters, local),
      );
    };

    const answer = await exchange(keys.all.key, { scope: 'documents.read my.*' });
    expect(answer).toMatchObject({
      token_type: 'bearer',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      scope: 'documents.read my.*',
    });
    expect(answer.expires_in).toBeGreaterThan(0);
    expect(answer.expires_in).toBeLessThanOrEqual(60);
    const headers = { authorization: `Bearer ${answer.access_token}` };
    const request = new Request('https://api.example.com/documents', { headers });
    expect(await oauth.validateJwtAccessToken(server, request, audiences[0], local)).toMatchObject({
      client_id: `key:${keys.all.id}`,
      sub: 'alice',
      scope: 'documents.read my.*',
      keyward: { user_id: 1, issuer: `${url}/idp` },
    });

    const refused = (error: string) => ({ status: 400, error });
    await expect(exchange('sk-wrong')).rejects.toMatchObject(refused('invalid_grant'));
    const wider = exchange(keys.reading.key, { scope: 'documents.write' });
    await expect(wider).rejects.toMatchObject(refused('invalid_scope'));
    const elsewhere = exchange(keys.all.key, { audience: 'https://api.example.net' });
    await expect(elsewhere).rejects.toMatchObject(refused('invalid_target'));
  });
});
