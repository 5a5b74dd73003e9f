import { describe, expect, it, vi } from 'vitest';
import { createApiKeys } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const call = async (method: string, path: string, json?: unknown) =>
  setup.gateway.rest(method, path, { token: await setup.sign(), ...(json !== undefined && { json }) });

const send = async (method: string, path: string, body: string) =>
  setup.gateway.rest(method, path, {
    token: await setup.sign(),
    headers: { 'content-type': 'application/json' },
    body,
  });

const forbidden = (place: string, ...names: string[]) =>
  names.map((name) => ({ loc: [place, name], msg: 'Unknown member.', type: 'extra_forbidden' }));

const privateKey = 'ab'.repeat(32);

describe('an unknown member', () => {
  it.each([
    ['POST', '/auth/keys', { nmae: 'Laptop', expiresAt: '2099-01-31T12:00:00Z' }, ['nmae', 'expiresAt']],
    ['POST', '/auth/keys', { name: 'Laptop', key: 'sk-' }, ['key']],
    ['POST', '/auth/keys/1/rotate', { grace: 60, key_id: 1 }, ['grace', 'key_id']],
    ['POST', '/auth/private-key', { private_key: privateKey, Private_Key: privateKey }, ['Private_Key']],
    ['PATCH', '/auth/keys/1', { name: 'Desk', id: 1, permissons: [], is_active: false }, ['permissons']],
    ['PATCH', '/auth/keys/1', { expiresAt: '2099-01-31T12:00:00Z', key: 'sk-' }, ['expiresAt', 'key']],
  ])(
    'a call that creates or changes a key or a secret → refused: %s %s %j',
    async (method, path, json, names) => {
      await createApiKeys(setup);
      const before = await setup.stored();
      const { status, body } = await call(method, path, json);
      expect([status, body]).toEqual([422, { detail: forbidden('body', ...names) }]);
      expect(await setup.stored()).toEqual(before);
    },
  );

  it('is listed with other faults; at most twenty unknown members are listed', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, index]));
    const { body } = await call('POST', '/auth/keys', { name: 5, ...many });
    expect(body.detail[0]).toMatchObject({ loc: ['body', 'name'], type: 'string_type' });
    const told = Array.from({ length: 20 }, (_, index) => `x${index}`);
    expect(body.detail.slice(1)).toEqual(forbidden('body', ...told));
  });

  it('a long name → shortened', async () => {
    const { status, body } = await call('POST', '/auth/keys', { ['x'.repeat(60_000)]: 1 });
    expect([status, body]).toEqual([422, { detail: forbidden('body', 'x'.repeat(100)) }]);
  });

  it.each(['__proto__', 'constructor', '', 'a"b\\n', 'naïve', '\u0000'])(
    'with the name %j → refused, and named',
    async (name) => {
      const { status, body } = await send('POST', '/auth/keys', `{${JSON.stringify(name)}: 1}`);
      expect([status, body]).toEqual([422, { detail: forbidden('body', name) }]);
    },
  );

  it.each([
    ['PATCH', '/auth/keys/1', { name: 'Desk', id: 1, key_prefix: 7, last_used_at: null }],
    ['PATCH', '/auth/keys/1', { quota: { limit: 5, refill: 'daily', remaining: 2, refills_at: 'then' } }],
    ['PUT', '/automation/settings', { is_enabled: true, user_id: 1, created_at: null }],
    ['PUT', '/auth/keys/1/default', { is_default: false }],
    ['DELETE', '/auth/keys/1', { id: 2 }],
  ])(
    'any other call, or a member of an answer that the client sends back → ignored: %s %s',
    async (method, path, json) => {
      await createApiKeys(setup);
      expect((await call(method, path, json)).status).toBe(200);
    },
  );
});

describe('an unknown member of an inner object', () => {
  it.each([
    [
      'POST',
      { rate_limit: { limit: 1, windowSeconds: 1 } },
      ['rate_limit.window_seconds', 'rate_limit.windowSeconds'],
    ],
    ['POST', { quota: { limit: 1, refill: 'daily', remaining: 1 } }, ['quota.remaining']],
    ['PATCH', { quota: { limit: 1, refill: 'daily', left: 1, remaining: 1 } }, ['quota.left']],
    [
      'PATCH',
      { rate_limit: { limit: 1, window_seconds: 1, ['x'.repeat(200)]: 1 } },
      [`rate_limit.${'x'.repeat(100)}`],
    ],
  ])('is refused: %s %j', async (method, json, places) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const path = method === 'POST' ? '/auth/keys' : '/auth/keys/1';
    const { status, body } = await call(method, path, json);
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc.slice(1).join('.'))).toEqual(places);
    expect(await setup.stored()).toEqual(before);
  });
});

describe('an object with thousands of members', () => {
  it('GraphQL does not print it for each fault in it', async () => {
    const quota = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, '1']));
    const query = 'mutation ($quota: ApiKeyQuotaInput) { updateApiKey(keyId: 1, quota: $quota) { id } }';
    const token = await setup.sign();
    // graphql-js prints each text by it.
    const print = vi.spyOn(JSON, 'stringify');
    const { body } = await setup.gateway.graphql(query, { token, variables: { quota } });
    // What is missing, and twenty that are not known.
    expect(body.errors[0].extensions.issues).toHaveLength(22);
    expect(print.mock.calls.length).toBeLessThan(3 * 5000);
  });
});

describe('a list with thousands of items', () => {
  const many = (item: unknown, count: number) => Array.from({ length: count }, () => item);

  const update = 'mutation ($list: [String!]) { updateApiKey(keyId: 1, permissions: $list) { id } }';

  const updateByGraphQl = async (list: unknown[]) => {
    const { body } = await setup.gateway.graphql(update, { token: await setup.sign(), variables: { list } });
    return body.errors[0];
  };

  // It took seconds and megabytes to tell what is wrong with each.
  it('items of another type → the first are listed', async () => {
    await createApiKeys(setup);
    const numbers = many(1, 30_000);
    const { status, body } = await call('PATCH', '/auth/keys/1', { permissions: numbers });
    expect(status).toBe(422);
    expect(body.detail).toEqual(
      Array.from({ length: 50 }, (_, index) => ({
        loc: ['body', 'permissions', `${index}`],
        msg: 'Must be a string.',
        type: 'string_type',
      })),
    );
    const { message, extensions } = await updateByGraphQl(numbers);
    expect(extensions.issues).toHaveLength(50);
    expect(message.length).toBeLessThan(5000);
  });

  it.each(['permissions', 'allowed_addresses'])(
    'too many items of any kind → refused as too long: %s',
    async (name) => {
      await createApiKeys(setup);
      const { status, body } = await call('PATCH', '/auth/keys/1', { [name]: many('A', 15_000) });
      const message = 'Must have at most 50 items.';
      const detail = [{ loc: ['body', name], msg: message, type: 'too_long' }];
      expect([status, body]).toEqual([422, { detail }]);
      expect((await updateByGraphQl(many('A', 10_000))).message).toBe(`permissions: ${message}`);
    },
  );

  it('texts with NUL → the first are listed', async () => {
    await createApiKeys(setup);
    const { status, body } = await call('PATCH', '/auth/keys/1', { permissions: many('\u0000', 7000) });
    expect(status).toBe(422);
    expect(body.detail).toHaveLength(50);
  });
});

describe('an unknown query parameter', () => {
  it.each([
    ['/auth/keys?active=true', ['active']],
    ['/auth/keys?limit=2&isActive=true&first=2&first=3', ['isActive', 'first']],
    ['/auth/keys?Limit=2&after=MQ', ['Limit', 'after']],
    ['/audit-events?is_active=true&', ['is_active']],
  ])('is refused by a list: %s', async (path, names) => {
    const { status, body } = await call('GET', path);
    expect([status, body]).toEqual([422, { detail: forbidden('query', ...names) }]);
  });

  it.each([
    ['GET', '/auth/keys/1?limit=1'],
    ['GET', '/auth/private-key?x=1'],
    ['POST', '/auth/keys?name=x', {}],
    ['POST', '/auth/keys/1/rotate?grace_seconds=-1', {}],
    ['DELETE', '/auth/keys/1?x'],
  ])('is ignored elsewhere: %s %s', async (method, path, json?: object) => {
    await createApiKeys(setup);
    expect((await call(method, path, json)).status).toBeLessThan(300);
  });
});
