import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { dropDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
const postgres = inject('postgresUrl') !== undefined;
const path = '/keys/authorize';

const createKey = async (values = {}) =>
  setup.gateway.createVerifiableKey(await setup.gateway.createAccount('alice'), values);

const ask = (headers: Record<string, string>, method = 'GET', target = path) =>
  setup.gateway.rest(method, target, { headers });

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

describe('200', () => {
  it('tells whose key it is, in headers alone', async () => {
    const { id, secret } = await createKey();
    const answer = await ask(bearer(secret));
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers.get('x-keyward-user')).toBe('1');
    expect(answer.headers.get('x-keyward-key')).toBe(`${id}`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each<[string, (secret: string) => Record<string, string>]>([
    ['X-API-Key', (secret) => ({ 'x-api-key': secret })],
    ['both, alike', (secret) => ({ ...bearer(secret), 'x-api-key': secret })],
    ['X-API-Key beside another scheme', (secret) => ({ authorization: 'Basic eDp5', 'x-api-key': secret })],
    ['bearer in small letters', (secret) => ({ authorization: `bearer ${secret}` })],
    ['bearer and more spaces', (secret) => ({ authorization: `Bearer   ${secret}` })],
  ])('takes the key from %s', async (_what, headers) => {
    const { secret } = await createKey();
    expect((await ask(headers(secret))).status).toBe(200);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'does not mind the method %s',
    async (method) => {
      const { secret } = await createKey();
      expect(await ask(bearer(secret), method)).toMatchObject({ status: 200, text: '' });
      expect((await ask({}, method)).status).toBe(401);
    },
  );

  it.each(['/', '/v1/things', '/keys/authorize', '/a%2Fb%ZZ?key=x', '?path=/'])(
    'does not mind what a proxy appends: %s',
    async (appended) => {
      const { secret } = await createKey();
      expect((await ask(bearer(secret), 'GET', path + appended)).status).toBe(200);
    },
  );

  it('does not mind a body, whatever it is', async () => {
    const { secret } = await createKey();
    for (const body of ['{', 'x'.repeat(70_000)]) {
      const answer = await setup.gateway.rest('POST', path, { headers: bearer(secret), body });
      expect(answer.status).toBe(200);
    }
  });

  it('is not answered at a path that only begins alike', async () => {
    const { secret } = await createKey();
    expect((await ask(bearer(secret), 'GET', `${path}d`)).status).toBe(404);
  });
});

describe('401', () => {
  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['another scheme', { authorization: 'Basic eDp5' }],
    ['a scheme that only begins alike', { authorization: 'Bearers x' }],
  ])('challenges without an error: %s', async (_what, headers) => {
    const answer = await ask(headers);
    expect(answer).toMatchObject({ status: 401, text: '{"detail":"Not authenticated"}' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api"');
  });

  const past = new Date('2026-01-01T00:00:00.000Z');
  it.each<[string, (secret: string) => Record<string, string>, object]>([
    ['an unknown key', () => bearer(createApiKeySecret()), {}],
    ['a word', () => bearer('x'), {}],
    ['no word', () => ({ authorization: 'Bearer' }), {}],
    ['an empty X-API-Key', () => ({ 'x-api-key': '' }), {}],
    ['more than a key', (secret) => bearer(`${secret} x`), {}],
    ['two keys', (secret) => ({ 'x-api-key': `${secret}, ${secret}` }), {}],
    ['two that differ', (secret) => ({ ...bearer(secret), 'x-api-key': createApiKeySecret() }), {}],
    ['two that differ, the other way', (secret) => ({ ...bearer('a.b.c'), 'x-api-key': secret }), {}],
    ['a good one beside an empty one', (secret) => ({ ...bearer(secret), 'x-api-key': '' }), {}],
    ['an inactive key', bearer, { isActive: false }],
    ['an expired key', bearer, { expiresAt: past }],
  ])('says the same of every key that will not do: %s', async (_what, headers, values) => {
    const { secret } = await createKey(values);
    const answer = await ask(headers(secret));
    expect(answer).toMatchObject({ status: 401, text: '{"detail":"Could not validate credentials"}' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="api", error="invalid_token"');
    expect(answer.headers.has('x-keyward-user')).toBe(false);
  });

  it('is what an access token gets: it is no API key', async () => {
    await createKey();
    expect((await ask(bearer(await setup.sign()))).status).toBe(401);
  });
});

describe('the log', () => {
  it('has the route and the reason, and never the key', async () => {
    const { secret } = await createKey({ isActive: false });
    await ask(bearer(secret), 'POST', `${path}/${secret}`);
    await ask(bearer(createApiKeySecret()));
    await ask({});
    expect(setup.gateway.log()).toMatchObject([
      { method: 'POST', route: '/api/v1/keys/authorize', status: 401, reason: 'api-key-inactive' },
      { route: '/api/v1/keys/authorize', reason: 'api-key-not-found' },
      { route: '/api/v1/keys/authorize', reason: 'no-api-key' },
    ]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain(secret.slice(9));
  });
});

describe('503', () => {
  it('is never 200: a database that cannot be opened', async () => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, 'keyward.db');
    await using gateway = await createTestGateway(
      setup.issuer,
      postgres ? {} : { databaseUrl: `sqlite:${file}` },
    );
    const { secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    expect((await gateway.rest('GET', path, { headers: bearer(secret) })).status).toBe(200);
    if (postgres) {
      await dropDatabase(gateway.database);
    } else {
      await gateway.database.close();
      rmSync(file);
      mkdirSync(file);
    }
    const answer = await gateway.rest('GET', path, { headers: bearer(secret) });
    expect(answer).toMatchObject({ status: 503, text: '{"detail":"Service Unavailable"}' });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.has('x-keyward-user')).toBe(false);
    expect(gateway.log()).toContainEqual(expect.objectContaining({ level: 50, reason: 'database' }));
  });
});
