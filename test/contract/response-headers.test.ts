import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
beforeAll(async () => {
  issuer = await startIssuer();
  gateway = await createTestGateway(issuer, {
    edge: { hstsMaxAge: 31_536_000, trustedProxies: ['10.0.0.0/8'] },
  });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await issuer?.[Symbol.asyncDispose]();
});

const expected = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
};

describe('every answer has the security headers for browsers', () => {
  it.each([
    ['GET', '/api/v1/auth/private-key', 401],
    ['GET', '/api/v1/openapi.json', 200],
    ['GET', '/api/v1/keys/authorize', 401],
    ['GET', '/.well-known/oauth-protected-resource', 200],
    ['POST', '/graphql', 401],
    ['GET', '/nowhere', 404],
    ['HEAD', '/nowhere', 404],
  ])('%s %s', async (method, path, status) => {
    const answer = await gateway.fetch(method, path);
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject(expected);
  });
});

describe('Strict-Transport-Security', () => {
  const policyOf = async (address: string, protocol: string) => {
    const headers = { 'x-forwarded-proto': protocol };
    const answer = await gateway.fetch('GET', '/nowhere', { address, headers });
    return answer.headers.get('strict-transport-security');
  };

  it('a request without TLS at the proxy → no header', async () => {
    expect(await policyOf('10.0.0.1', 'http')).toBe(null);
    expect(await policyOf('10.0.0.1', 'https')).toBe('max-age=31536000');
    expect(await policyOf('203.0.113.1', 'http')).toBe('max-age=31536000');
  });

  it('no information about TLS → no header', async () => {
    await using plain = await createTestGateway(issuer);
    const { headers } = await plain.fetch('GET', '/nowhere');
    expect(headers.has('strict-transport-security')).toBe(false);
  });
});

describe("the client's address", () => {
  const addressNoted = async (address: string) => {
    const headers = { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' };
    const token = await issuer.sign({ sub: address });
    await gateway.rest('POST', '/auth/keys', { token, address, headers, json: {} });
    const { body } = await gateway.rest('GET', '/audit-events', { token });
    return body[0].address;
  };

  it('from a trusted proxy → the forwarded address is recorded; from any other peer → its own', async () => {
    expect(await addressNoted('10.0.0.1')).toBe('203.0.113.9');
    expect(await addressNoted('192.0.2.1')).toBe('192.0.2.1');
  });
});
