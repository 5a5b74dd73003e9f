import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';

const path = '/.well-known/oauth-protected-resource';

let issuer: TestIssuer;
let other: TestIssuer;
let gateway: TestGateway;
beforeAll(async () => {
  [issuer, other] = await Promise.all([startIssuer(), startIssuer()]);
  gateway = await createTestGateway(issuer, { issuers: [other.config] });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([issuer[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
});

/** What RFC 9728, section 2, lets it say of this service. */
const metadata = () => ({
  resource: 'http://keyward.test',
  resource_name: 'Keyward',
  authorization_servers: [issuer.config.issuer, other.config.issuer],
  scopes_supported: [
    ...['openid', 'email', 'profile', 'idp.signin.user.admin'],
    ...['keyward.admin', 'keyward.audit', 'keys.verify', 'keys.import', 'accounts.act', 'accounts.entitle'],
  ],
  bearer_methods_supported: ['header'],
});

describe('the resource metadata', () => {
  it.each([
    ['no token', {}],
    ['a token that will not do', { token: 'a.b.c' }],
    ['a query string', {}, '?x=/graphql'],
  ])('GET → where to get a token, and for which scopes: %s', async (_what, call, query = '') => {
    const { status, headers, body } = await gateway.fetch('GET', path + query, call);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json(;|$)/);
    expect(headers.get('www-authenticate')).toBeNull();
    expect({ ...body, scopes_supported: body.scopes_supported.toSorted() }).toEqual({
      ...metadata(),
      scopes_supported: metadata().scopes_supported.toSorted(),
    });
  });

  it('HEAD → the same, without the body', async () => {
    const get = await gateway.fetch('GET', path);
    const head = await gateway.fetch('HEAD', path);
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  });

  it('a query string → the log has the path without it', async () => {
    await gateway.fetch('GET', `${path}?x=1`);
    expect(gateway.log().at(-1)).toMatchObject({ route: path, status: 200 });
  });
});

describe('any other path → 404', () => {
  it.each([`${path}/`, `${path}/api`, `/api/v1${path}`, `/zzz?y=${path}`, '/.well-known/', `/x${path}`])(
    '%s',
    async (elsewhere) => {
      expect(await gateway.fetch('GET', elsewhere)).toMatchObject({ status: 404 });
    },
  );
});

describe('another method → 405', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s', async (method) => {
    const answer = await gateway.fetch(method, path);
    expect(answer).toMatchObject({ status: 405, body: { detail: 'Method Not Allowed' } });
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('a challenge', () => {
  it('names the URL of the metadata, which can be read there', async () => {
    const { status, headers } = await gateway.rest('GET', '/auth/private-key');
    expect(status).toBe(401);
    const address = /, resource_metadata="([^"]+)"$/.exec(headers.get('www-authenticate') ?? '')?.[1];
    expect(address).toBe(`http://keyward.test${path}`);
    expect((await gateway.fetch('GET', new URL(address ?? '').pathname)).body.resource).toBe(
      'http://keyward.test',
    );
  });

  it('is not part of a successful answer', async () => {
    const { status, headers } = await gateway.rest('GET', '/auth/private-key', {
      token: await issuer.sign(),
    });
    expect(status).toBe(200);
    expect(headers.has('www-authenticate')).toBe(false);
  });
});
