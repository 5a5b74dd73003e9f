import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';

const ours = 'https://app.example.com';
const other = 'http://localhost:5173';

let issuer: TestIssuer;
let gateway: TestGateway;
let token: string;
beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await createTestGateway(issuer, { edge: { corsOrigins: [ours, other] } });
  token = await issuer.sign();
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

/** A call on each transport, by a page of an origin. */
const transports: [string, (origin: string, token?: string) => ReturnType<TestGateway['fetch']>][] = [
  [
    'REST',
    (origin, caller) =>
      gateway.rest('GET', '/auth/private-key', { headers: { origin }, ...(caller && { token: caller }) }),
  ],
  [
    'GraphQL',
    (origin, caller) =>
      gateway.graphql('{ privateKeyStatus { hasKey } }', {
        headers: { origin },
        ...(caller && { token: caller }),
      }),
  ],
];

describe.each(transports)('%s', (_name, call) => {
  it.each([ours, other])('lets a page of %s read the answer', async (origin) => {
    const { status, headers } = await call(origin, token);
    expect(status).toBe(200);
    expect(corsHeaders(headers)).toEqual({
      'access-control-allow-origin': origin,
      'access-control-expose-headers':
        'ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
    });
    expect(headers.get('vary')).toBe('Origin');
  });

  it('lets a page of an allowed origin read a refusal', async () => {
    const { status, headers } = await call(ours);
    expect(status).toBe(401);
    expect(headers.get('access-control-allow-origin')).toBe(ours);
  });

  it.each([
    'https://evil.example.com',
    'https://app.example.com.evil.test',
    'http://app.example.com',
    'https://app.example.com:8443',
    'HTTPS://APP.EXAMPLE.COM',
    'null',
    '*',
  ])('gives a page of %s no CORS header', async (origin) => {
    const { status, headers } = await call(origin, token);
    expect(status).toBe(200);
    expect(corsHeaders(headers)).toEqual({});
    expect(headers.get('vary')).toBe('Origin');
  });
});

describe('a preflight', () => {
  const preflight = (path: string, origin = ours) =>
    gateway.fetch('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  it.each([
    ['/api/v1/automation/settings', 'GET, HEAD, PUT'],
    ['/api/v1/auth/keys/17', 'DELETE, GET, HEAD, PATCH'],
    ['/api/v1/auth/keys/17/rotate', 'POST'],
    ['/api/v1/openapi.json', 'GET, HEAD'],
    ['/graphql', 'GET, HEAD, POST'],
    ['/.well-known/oauth-protected-resource', 'GET, HEAD'],
  ])('of %s → the methods %s', async (path, methods) => {
    const { status, headers, text } = await preflight(path);
    expect([status, text]).toEqual([204, '']);
    expect(corsHeaders(headers)).toEqual({
      'access-control-allow-origin': ours,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'Authorization, *',
      'access-control-max-age': '7200',
    });
    expect(headers.get('vary')).toBe('Origin');
  });

  it('of an unknown path is 404', async () => {
    expect((await preflight('/nowhere')).status).toBe(404);
  });

  it('from a foreign origin → 405, without a CORS header', async () => {
    const { status, headers } = await preflight('/api/v1/automation/settings', 'https://evil.example.com');
    expect(status).toBe(405);
    expect(corsHeaders(headers)).toEqual({});
  });

  it('without Access-Control-Request-Method → no preflight', async () => {
    const { status } = await gateway.fetch('OPTIONS', '/graphql', { headers: { origin: ours } });
    expect(status).toBe(405);
  });
});

it('no allowed origin → no CORS headers', async () => {
  await using plain = await createTestGateway(issuer);
  const { headers } = await plain.rest('GET', '/auth/private-key', { headers: { origin: ours }, token });
  expect(corsHeaders(headers)).toEqual({});
  expect(headers.get('vary')).toBe(null);
});
