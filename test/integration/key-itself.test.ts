import { describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { refuseRows } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
const path = '/keys/self';

const createKey = async (values = {}) => {
  const alice = await setup.gateway.createAccount('alice');
  return setup.gateway.createVerifiableKey(alice, values);
};

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

const call = (method: string, secret: string, headers = {}, address?: string) =>
  setup.gateway.rest(method, path, {
    headers: { ...bearer(secret), ...headers },
    ...(address !== undefined && { address }),
  });

const parts = { permissions: '["documents.read"]', metadata: '{"plan":"basic"}' };

describe('GET', () => {
  it('the same record as for the owner, without the sealed copy', async () => {
    const { id, secret } = await createKey({ ...parts, encryptedKey: 'a..b.c.d', expiresAt: new Date(4e12) });
    const answer = await call('GET', secret);
    const { body: ofOwner } = await setup.gateway.rest('GET', `/auth/keys/${id}`, {
      token: await setup.sign(),
    });
    const { encrypted_key, encryption_version, ...others } = ofOwner;
    expect(encrypted_key).toBe('a..b.c.d');
    const granted = { plan: null, entitlement: { metadata: null, rate_limit: null, quota: null } };
    expect(answer).toMatchObject({ status: 200, text: JSON.stringify({ ...others, ...granted }) });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.text).not.toContain(secret);
  });

  it('enum values are in lower case, as in other routes', async () => {
    const { id, secret } = await createKey();
    await setup.gateway.createQuota(id, { units: 5, refill: 'monthly', refillsAt: new Date(4e12) });
    expect((await call('GET', secret)).body.quota).toMatchObject({ limit: 5, refill: 'monthly' });
    expect((await call('DELETE', secret)).body.quota).toMatchObject({ limit: 5, refill: 'monthly' });
  });

  it('accepts the key in X-API-Key, with any secret that still works', async () => {
    const { id, secret } = await createKey();
    const old = createApiKeySecret();
    await setup.gateway.addSecret(id, old, new Date(4e12));
    for (const each of [secret, old]) {
      const answer = await setup.gateway.rest('GET', path, { headers: { 'x-api-key': each } });
      expect(answer).toMatchObject({ status: 200, body: { id } });
    }
  });

  it('HEAD → the same without the body', async () => {
    const { secret } = await createKey();
    const [get, head] = [await call('GET', secret), await call('HEAD', secret)];
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
  });

  it('If-None-Match with the current tag → 304, If-Match with an old tag → 412', async () => {
    const { secret } = await createKey();
    const tag = (await call('GET', secret)).headers.get('etag');
    expect(await call('GET', secret, { 'if-none-match': tag })).toMatchObject({ status: 304, text: '' });
    await setup.gateway.database.em.fork().execute("update api_key set name = 'another'");
    expect((await call('GET', secret, { 'if-none-match': tag })).status).toBe(200);
    expect((await call('GET', secret, { 'if-match': tag })).status).toBe(412);
  });

  it('writes nothing, and does not count as a use of the key', async () => {
    const { secret } = await createKey();
    const before = await setup.stored();
    await call('GET', secret);
    await setup.gateway.keyUsage.write();
    expect(await setup.stored()).toEqual(before);
  });
});

describe('DELETE', () => {
  it('deactivates the key at once', async () => {
    const { id, secret } = await createKey();
    const answer = await call('DELETE', secret);
    expect(answer).toMatchObject({
      status: 200,
      body: { id, is_active: false, deactivated_at: expect.stringMatching(/Z$/) },
    });
    expect(answer.body).not.toHaveProperty('encrypted_key');
    expect((await setup.gateway.rest('GET', '/keys/authorize', { headers: bearer(secret) })).status).toBe(
      401,
    );
    for (const method of ['GET', 'DELETE']) expect((await call(method, secret)).status).toBe(401);
  });

  it('does not deactivate another key', async () => {
    const { secret } = await createKey();
    const alice = (await setup.gateway.rows('api_key'))[0]?.['account_id'] as never;
    const other = await setup.gateway.createVerifiableKey(alice);
    await call('DELETE', secret);
    expect((await call('GET', other.secret)).status).toBe(200);
  });

  it("is in the owner's audit trail and in the log, as done by the key", async () => {
    const { id, secret } = await createKey();
    const answer = await call('DELETE', secret, {}, '192.0.2.7');
    const { body } = await setup.gateway.rest('GET', '/audit-events', { token: await setup.sign() });
    expect(body).toMatchObject([
      {
        action: 'api-key-deactivated',
        target_id: id,
        request_id: answer.headers.get('x-request-id'),
        address: '192.0.2.7',
        actor: 'key',
        changes: [{ field: 'is_active', from: true, to: false }],
      },
    ]);
    expect(setup.gateway.log()).toContainEqual(
      expect.objectContaining({ event: 'api-key-deactivated', keyId: id, isKeyItself: true }),
    );
  });

  it('the audit event cannot be written → nothing changes', async () => {
    const { secret } = await createKey();
    await using _refused = await refuseRows(setup.gateway.database, 'audit_event');
    expect((await call('DELETE', secret)).status).toBeGreaterThanOrEqual(500);
    expect((await call('GET', secret)).status).toBe(200);
  });

  it('another tag in If-Match → 412, the current tag → 200', async () => {
    const { secret } = await createKey();
    const tag = (await call('GET', secret)).headers.get('etag');
    expect((await call('DELETE', secret, { 'if-match': '"other"' })).status).toBe(412);
    expect((await call('DELETE', secret, { 'if-match': tag })).status).toBe(200);
  });

  it('20 at once → one change', async () => {
    const { secret } = await createKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('DELETE', secret)));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 200 && status !== 401)).toEqual([]);
    expect(statuses).toContain(200);
    expect(await setup.gateway.rows('audit_event')).toHaveLength(1);
  });
});

describe.each(['GET', 'DELETE'])('%s', (method) => {
  const past = new Date('2026-01-01T00:00:00.000Z');

  it.each<[string, (secret: string) => Record<string, string>, object]>([
    ['an unknown key', () => bearer(createApiKeySecret()), {}],
    ['no word', () => ({ authorization: 'Bearer' }), {}],
    ['two that differ', (secret) => ({ ...bearer(secret), 'x-api-key': createApiKeySecret() }), {}],
    ['an inactive key', bearer, { isActive: false }],
    ['an expired key', bearer, { expiresAt: past }],
  ])('401 for %s, as with forward auth', async (_what, headersOf, values) => {
    const { secret } = await createKey(values);
    const before = await setup.stored();
    const headers = headersOf(secret);
    const [answer, door] = [
      await setup.gateway.rest(method, path, { headers }),
      await setup.gateway.rest('GET', '/keys/authorize', { headers }),
    ];
    expect(answer).toMatchObject({ status: 401, body: { detail: door.body.detail } });
    expect(answer.headers.get('www-authenticate')).toBe(door.headers.get('www-authenticate'));
    expect(await setup.stored()).toEqual(before);
  });

  it('401 without a key, and for an access token', async () => {
    const nothing = await setup.gateway.rest(method, path);
    expect(nothing).toMatchObject({ status: 401, text: '{"detail":"Not authenticated"}' });
    expect(nothing.headers.get('www-authenticate')).toBe('Bearer realm="api"');
    const token = await setup.sign();
    expect((await setup.gateway.rest(method, path, { token })).status).toBe(401);
  });

  it('401 for a secret that was rotated out', async () => {
    const { id } = await createKey();
    const old = createApiKeySecret();
    await setup.gateway.addSecret(id, old, past);
    expect((await call(method, old)).status).toBe(401);
  });

  it('403 from an address that the key does not allow', async () => {
    const { secret } = await createKey({ allowedAddresses: '["192.0.2.0/24"]' });
    for (const address of ['198.51.100.1', undefined])
      expect(await call(method, secret, {}, address)).toMatchObject({
        status: 403,
        body: { detail: 'The API key may not be used from this address' },
      });
    expect((await call(method, secret, {}, '192.0.2.1')).status).toBe(200);
  });

  it('429 above the rate limit of the key or the address, which forward auth shares', async () => {
    const rates = { address: { requests: 3, seconds: 60 }, apiKey: { requests: 2, seconds: 60 } };
    await using gateway = await createTestGateway(setup.issuer, { rates });
    const alice = await gateway.createAccount('alice');
    const [one, other] = [await gateway.createVerifiableKey(alice), await gateway.createVerifiableKey(alice)];
    const ask = (verb: string, target: string, secret: string) =>
      gateway.rest(verb, target, { headers: bearer(secret), address: '192.0.2.1' });
    for (let time = 1; time <= 2; time += 1)
      expect((await ask('GET', '/keys/authorize', one.secret)).status).toBe(200);
    const byKey = await ask(method, path, one.secret);
    expect(byKey.status).toBe(429);
    expect(byKey.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(byKey.headers.get('ratelimit')).toContain('"api-key";r=0');
    expect((await ask('GET', path, other.secret)).status).toBe(200);
    expect((await ask('GET', path, other.secret)).status).toBe(200);
    const byAddress = await ask(method, path, other.secret);
    expect(byAddress.status).toBe(429);
    expect(byAddress.headers.get('ratelimit')).toContain('"address";r=0');
  });

  it('has a log line without the key', async () => {
    const { secret } = await createKey();
    await call(method, secret);
    await call(method, createApiKeySecret());
    const lines = setup.gateway.log().filter((line) => line['route']);
    expect(lines).toMatchObject([
      { method, route: '/api/v1/keys/self', status: 200, accountId: 1 },
      { method, route: '/api/v1/keys/self', status: 401, reason: 'api-key-not-found' },
    ]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain(secret.slice(9));
  });
});

it.each(['POST', 'PUT', 'PATCH', 'OPTIONS', 'PROPFIND'])(
  '%s → 405 with Allow, with a key or without',
  async (method) => {
    const { secret } = await createKey();
    for (const headers of [{}, bearer(secret)]) {
      const answer = await setup.gateway.rest(method, path, { headers });
      expect(answer).toMatchObject({ status: 405, text: '{"detail":"Method Not Allowed"}' });
      expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD');
    }
  },
);

it.each(['/keys/self/', '/keys/selfx', '/keys/self/1'])('%s → 404', async (target) => {
  const { secret } = await createKey();
  expect((await setup.gateway.rest('GET', target, { headers: bearer(secret) })).status).toBe(404);
});

describe('webhooks', () => {
  it.each([
    ['the key itself', (_id: number) => path, (secret: string) => secret],
    ['its owner', (id: number) => `/auth/keys/${id}`, () => setup.sign()],
  ])('are woken when %s deactivates a key, and not by a refusal', async (_who, pathOf, tokenOf) => {
    const wake = vi.fn();
    await using gateway = await createTestGateway(setup.issuer, { webhooks: { wake } });
    const { id, secret } = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    const end = async (token: string) => gateway.rest('DELETE', pathOf(id), { headers: bearer(token) });
    expect((await end(createApiKeySecret())).status).toBe(401);
    expect(wake).not.toHaveBeenCalled();
    expect((await end(await tokenOf(secret))).status).toBe(200);
    expect(wake).toHaveBeenCalledOnce();
  });
});
