import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { isApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { refuseRows } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { noParts } from '../support/key-suite.ts';
import { recordStatements } from '../support/record-statements.ts';
import { issuesOf, setUpGateway } from '../support/set-up-gateway.ts';

const start = '2026-03-01T08:00:00.000Z';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(start) });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const create = (json: object = {}, claims = {}) => setup.call('POST', '/auth/keys', json, claims);
const rows = (table: string) => setup.gateway.rows(table);
const nothing = { account: [], api_key: [], api_key_secret: [], audit_event: [] };

const postgres = inject('postgresUrl') !== undefined;

/** How the database would run a statement. */
const planOf = async (statement: string): Promise<string> => {
  const connection = setup.gateway.database.em.getConnection();
  const noneOfFive = [null, null, null, null, null];
  const values = [1, 'sk-a1b2c3', null, null, new Date(), ...noneOfFive, 1, 1, 1000];
  const explain = postgres ? 'explain (generic_plan)' : 'explain query plan';
  return JSON.stringify(await connection.execute(`${explain} ${statement}`, postgres ? [] : values));
};

/** The digest under which a secret is found. */
const digestOf = (secret: string) => setup.gateway.secrets.peppers.digest(secret).digest;

describe('a new key', () => {
  it('the first one → the record, the secret, and it is the default', async () => {
    const { status, body } = await create({ name: 'Laptop', expires_at: '2027-01-31T13:00:00+01:00' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: 1,
      key_prefix: expect.stringMatching(/^sk-[a-z0-9]{6}$/),
      name: 'Laptop',
      created_at: start,
      is_active: true,
      is_default: true,
      encrypted_key: null,
      encryption_version: 1,
      expires_at: '2027-01-31T12:00:00.000Z',
      deactivated_at: null,
      previous_works_until: null,
      last_used_at: null,
      ...noParts,
      key: expect.any(String),
    });
  });

  it("keeps the web client's rules: 74 characters that start with the prefix", async () => {
    const { body } = await create();
    expect(body.key).toHaveLength(74);
    expect(body.key.startsWith(body.key_prefix)).toBe(true);
    expect(isApiKeySecret(body.key)).toBe(true);
  });

  it('its secret is stored as a digest only', async () => {
    const { body } = await create({ name: 'Laptop' });
    const [stored, ...others] = await rows('api_key_secret');
    expect(others).toEqual([]);
    expect(stored).toMatchObject({ api_key_id: body.id, pepper_version: 1, works_until: null });
    expect(Buffer.compare(stored?.['digest'] as Buffer, digestOf(body.key))).toBe(0);
    const everything = JSON.stringify([await setup.stored(), setup.gateway.log()]);
    expect(everything).not.toContain(body.key.slice(body.key_prefix.length + 1));
  });

  it('a later one is not the default, even if the default is inactive', async () => {
    await create();
    expect((await create()).body).toMatchObject({ id: 2, is_default: false });
    await setup.call('DELETE', '/auth/keys/1');
    expect((await create()).body).toMatchObject({ id: 3, is_default: false });
    expect((await create({}, { sub: 'bob' })).body).toMatchObject({ id: 4, is_default: true });
  });

  it.each([true, false])(
    'a later one is not the default, even if no key is active; the first was the default: %s',
    async (isDefault) => {
      const account = await setup.gateway.createAccount('alice');
      await setup.gateway.createApiKey(account, { isActive: false, isDefault });
      expect(await create()).toMatchObject({ status: 201, body: { id: 2, is_default: false } });
      const stored = (await rows('api_key')).map(({ id, is_default }) => [id, is_default]);
      expect(stored).toEqual([
        [1, Number(isDefault)],
        [2, 0],
      ]);
      // What is used as the default is another question.
      expect((await setup.call('GET', '/auth/keys/default')).body).toMatchObject({ id: 2 });
    },
  );

  it('each one has its own secret', async () => {
    const [first, second] = [await create(), await create()];
    expect(first.body.key).not.toBe(second.body.key);
    expect(first.body.key_prefix).not.toBe(second.body.key_prefix);
  });

  it.each([
    [{}, null],
    [{ name: null, expires_at: null }, null],
    [{ name: ' \t\u00a0Laptop \n' }, 'Laptop'],
    [{ name: 'a'.repeat(100) }, 'a'.repeat(100)],
    [{ name: ` ${'😀'.repeat(100)} ` }, '😀'.repeat(100)],
    [{ name: '\r\n{"level":60}' }, '{"level":60}'],
    [{ name: "'); drop table api_key; --" }, "'); drop table api_key; --"],
  ])('the name is trimmed: %j', async (input, name) => {
    expect((await create(input)).body.name).toBe(name);
    expect(await rows('api_key')).toMatchObject([{ name }]);
  });

  it('an expiry a millisecond ahead → accepted', async () => {
    const { body } = await create({ expires_at: '2026-03-01T08:00:00.001Z' });
    expect(body.expires_at).toBe('2026-03-01T08:00:00.001Z');
    expect(await rows('api_key')).toMatchObject([{ expires_at: Date.parse(start) + 1 }]);
  });

  it('writes an audit event and a log line', async () => {
    await create({ name: 'Laptop' });
    const event = { account_id: 1, created_at: Date.parse(start), request: expect.any(String) };
    expect(await rows('audit_event')).toMatchObject([
      { ...event, action: 'account-created', target: null },
      { ...event, action: 'api-key-created', target: 1 },
    ]);
    const logged = setup.gateway.log().filter((line) => line['event'] === 'api-key-created');
    expect(logged).toMatchObject([{ accountId: 1, keyId: 1 }]);
  });

  it.each(['api_key_secret', 'audit_event'])('%s cannot be written → nothing is created', async (table) => {
    await using _refused = await refuseRows(setup.gateway.database, table);
    expect((await create({ name: 'Laptop' })).status).toBeGreaterThanOrEqual(500);
    expect(await setup.stored()).toMatchObject(nothing);
    expect(setup.gateway.log().filter((line) => line['event'])).toEqual([]);
  });
});

describe('success over REST', () => {
  it('Location is the path of the key', async () => {
    await setup.gateway.createApiKey(await setup.gateway.createAccount('bob'));
    const answer = await setup.gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json: {} });
    expect(answer.headers.get('location')).toBe('/api/v1/auth/keys/2');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const found = await setup.gateway.fetch('GET', '/api/v1/auth/keys/2', { token: await setup.sign() });
    const { key: _key, ...record } = answer.body;
    expect(found.body).toEqual(record);
  });
});

describe('with as many active keys as allowed', () => {
  const message = (most: number) => `You may have at most ${most} active API keys: deactivate one first`;
  const limited = (apiKeysPerAccount: number) => createTestGateway(setup.issuer, { apiKeysPerAccount });
  const over = {
    REST: (gateway: TestGateway, token: string) => gateway.rest('POST', '/auth/keys', { token, json: {} }),
    GraphQL: (gateway: TestGateway, token: string) =>
      gateway.graphql('mutation { createApiKey { key } }', { token }),
  };

  it.each(Object.entries(over))(
    'one more over %s → 409, and nothing is stored',
    async (transport, create) => {
      await using gateway = await limited(2);
      const token = await setup.sign();
      for (const status of [201, 201])
        expect((await create(gateway, token)).status).toBe(transport === 'REST' ? status : 200);
      const refused = await create(gateway, token);
      expect(refused.status).toBe(409);
      const error = { message: message(2), extensions: { code: 'CONFLICT' } };
      expect(refused.body).toMatchObject(
        transport === 'REST' ? { detail: message(2) } : { errors: [error], data: null },
      );
      expect(await gateway.rows('api_key')).toHaveLength(2);
      expect(await gateway.rows('api_key_secret')).toHaveLength(2);
      expect(await gateway.rows('audit_event')).toHaveLength(3);
      expect((await create(gateway, await setup.sign({ sub: 'bob' }))).status).toBeOneOf([200, 201]);
    },
  );

  it('after a deactivation → one more is allowed, after an expiry → 409', async () => {
    await using gateway = await limited(2);
    const token = await setup.sign();
    const json = { expires_at: '2026-03-01T08:00:01.000Z' };
    expect((await gateway.rest('POST', '/auth/keys', { token, json })).status).toBe(201);
    expect((await over.REST(gateway, token)).status).toBe(201);
    vi.setSystemTime(new Date('2026-03-01T08:01:00.000Z'));
    expect((await over.REST(gateway, token)).status).toBe(409);
    expect((await gateway.rest('DELETE', '/auth/keys/1', { token })).status).toBe(200);
    const { status, body } = await over.REST(gateway, token);
    expect([status, body.is_default]).toEqual([201, false]);
    expect((await over.REST(gateway, token)).status).toBe(409);
  });

  it('40 at once → exactly as many as allowed', async () => {
    await using gateway = await limited(5);
    await gateway.verificationKeys.refresh();
    const token = await setup.sign();
    const answers = await Promise.all(Array.from({ length: 40 }, () => over.REST(gateway, token)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(35).fill(409)]);
    const keys = await gateway.rows('api_key');
    expect(keys).toHaveLength(5);
    expect(keys.filter((key) => key['is_default'])).toHaveLength(1);
  });

  it('inactive keys do not slow the count down: it uses an index', async () => {
    await setup.gateway.createAccount('alice');
    const connection = setup.gateway.database.em.getConnection();
    const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)';
    const inactive = `insert into api_key (account_id, key_prefix, is_active, created_at)
      select 1, 'sk-a1b2c3', false, ${postgres ? 'now()' : 0} from n`;
    await connection.execute(`${numbers} ${inactive}`);
    if (postgres) await connection.execute('analyze api_key');
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      expect((await create()).status).toBe(201);
    });
    const statement = sql.find((text) => text.startsWith('insert into "api_key"') && text.includes('count'));
    expect(await planOf(`${statement}`)).toContain('api_key_active');
  });
});

describe('with SEAL_API_KEYS', () => {
  it('the sealed copy opens for its own row only', async () => {
    await using gateway = await createTestGateway(setup.issuer, { sealApiKeys: true });
    const token = await setup.sign();
    const { body } = await gateway.rest('POST', '/auth/keys', { token, json: {} });
    expect(await gateway.rows('api_key')).toMatchObject([
      { id: body.id, encrypted_key: body.encrypted_key, encryption_version: body.encryption_version },
    ]);
    const version = body.encryption_version as number;
    const binding = { purpose: 'api-key', accountId: 1, rowId: body.id, version } as const;
    const opened = await gateway.secrets.sealer.open(body.encrypted_key, binding);
    expect(Buffer.from(opened).toString()).toBe(body.key);
    await expect(
      gateway.secrets.sealer.open(body.encrypted_key, { ...binding, rowId: 99 }),
    ).rejects.toThrow();
    const read = await gateway.rest('GET', `/auth/keys/${body.id}`, { token });
    expect(read.body.encrypted_key).toBe(body.encrypted_key);
  });
});

it.each([start, '2026-03-01T07:59:59.999Z'])(
  'an expiry of %s, which is now or over → 422',
  async (expires_at) => {
    const answer = await create({ name: ' ', expires_at });
    expect(answer.status).toBe(422);
    expect(issuesOf(answer)).toEqual([
      ['name', 'string_too_short'],
      ['expires_at', 'datetime_future'],
    ]);
    expect(await setup.stored()).toMatchObject(nothing);
  },
);

describe('the record of a new key', () => {
  it.each([
    ['createApiKey', '', '/auth/keys'],
    ['rotateApiKey', '(keyId: 1)', '/auth/keys/1/rotate'],
  ])('is `apiKey` in GraphQL; in REST its members are beside the secret: %s', async (field, input, path) => {
    const token = await setup.sign();
    await setup.gateway.rest('POST', '/auth/keys', { token, json: { name: 'Laptop' } });
    const query = `mutation { made: ${field}${input} { key apiKey { __typename id keyPrefix } } }`;
    const { apiKey, key } = (await setup.gateway.graphql(query, { token })).body.data.made;
    expect(apiKey).toEqual({ __typename: 'ApiKey', id: apiKey.id, keyPrefix: key.split('.')[0] });
    const { body: made } = await setup.gateway.rest('POST', path, { token, json: {} });
    const { body: record } = await setup.gateway.rest('GET', `/auth/keys/${made.id}`, { token });
    expect(Object.entries(made)).toEqual([...Object.entries(record), ['key', made.key]]);
  });

  it.each(['id', 'keyPrefix', 'quota { limit }'])('`%s` beside `apiKey` → refused', async (member) => {
    const query = `mutation { createApiKey { ${member} } }`;
    const { body } = await setup.gateway.graphql(query, { token: await setup.sign() });
    expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});

describe('422 over REST', () => {
  it.each([
    ['', 'missing'],
    ['[]', 'dict_type'],
    ['{', 'json_invalid'],
  ])('the body %j → %s', async (body, type) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await setup.gateway.rest('POST', '/auth/keys', {
      token: await setup.sign(),
      body,
      headers,
    });
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body'], type }] } });
  });

  it('unknown members → an issue for each', async () => {
    const json = { key: 'sk-mine', is_default: false, id: 7, account: 2, expiresAt: 'x' };
    const token = await setup.sign();
    const { status, body } = await setup.gateway.rest('POST', '/auth/keys', { token, json });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc[1])).toEqual(Object.keys(json));
    expect(await setup.stored()).toMatchObject(nothing);
  });
});

describe('100 first keys of one caller at once', () => {
  it.each([
    ['without an account', async () => {}],
    // Who makes the account lets the others wait; with one that is there, they have to wait by themselves.
    ['with an account', () => setup.gateway.createAccount('alice')],
  ])('all are created, and one is the default: %s', async (_name, arrange) => {
    await arrange();
    const calls = Array.from({ length: 100 }, (_, index) => create({ name: `${index}` }));
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(answers.filter(({ body }) => body.is_default)).toHaveLength(1);
    const stored = await rows('api_key');
    expect(stored).toHaveLength(100);
    expect(stored.filter((row) => row['is_default'] === 1)).toHaveLength(1);
    expect(await rows('account')).toHaveLength(1);
    expect(await rows('api_key_secret')).toHaveLength(100);
    const actions = (await rows('audit_event')).map(({ action }) => action);
    expect(actions.filter((action) => action === 'api-key-created')).toHaveLength(100);
  });
});
