import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { Account } from '../../src/database/tables.ts';
import { refuseRows } from '../support/database.ts';
import type { Answer, Call } from '../support/gateway.ts';
import { holdCreation } from '../support/hold-creation.ts';
import { operationContext } from '../support/operation-context.ts';
import { root } from '../support/process.ts';
import { recordStatements } from '../support/record-statements.ts';
import { scannedTables } from '../support/scanned-tables.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const privateKey = `0x${'0'.repeat(63)}1`;

/** Every operation that changes something: method, path, body, GraphQL's document. */
const changes: [name: string, method: string, path: string, json: object | undefined, query: string][] = [
  ['createApiKey', 'POST', '/auth/keys', { name: 'CI' }, '(name: "CI") { apiKey { id } key }'],
  [
    'createApiKey',
    'POST',
    '/auth/keys',
    {
      metadata: { a: [1] },
      quota: { limit: 3, refill: 'daily' },
      rate_limit: { limit: 1, window_seconds: 9 },
    },
    '(metadata: { a: [1] }, quota: { limit: 3, refill: DAILY }) { apiKey { id metadata quota { remaining refillsAt } } key }',
  ],
  [
    'updateApiKey',
    'PATCH',
    '/auth/keys/1',
    { permissions: ['a.*'], quota: { limit: 3, refill: 'monthly' } },
    '(keyId: 1, permissions: ["a.*"], quota: { limit: 3, refill: MONTHLY }) { id permissions quota { refillsAt } }',
  ],
  [
    'rotateApiKey',
    'POST',
    '/auth/keys/1/rotate',
    { grace_seconds: 9 },
    '(keyId: 1, graceSeconds: 9) { apiKey { id } key }',
  ],
  ['updateApiKey', 'PATCH', '/auth/keys/1', { name: 'CI' }, '(keyId: 1, name: "CI") { id name }'],
  ['setDefaultApiKey', 'PUT', '/auth/keys/1/default', undefined, '(keyId: 1) { id isDefault }'],
  ['deactivateApiKey', 'DELETE', '/auth/keys/1', undefined, '(keyId: 1) { id deactivatedAt }'],
  [
    'registerPrivateKey',
    'POST',
    '/auth/private-key',
    { private_key: privateKey },
    `(privateKey: "${privateKey}") { hasKey updatedAt }`,
  ],
  ['removePrivateKey', 'DELETE', '/auth/private-key', undefined, '{ hasKey }'],
  [
    'updateAutomationSettings',
    'PUT',
    '/automation/settings',
    { is_enabled: true },
    '(isEnabled: true) { isEnabled updatedAt }',
  ],
];

const keyed = (key: string, call: Call = {}): Call => ({
  ...call,
  headers: { ...call.headers, 'idempotency-key': key },
});

const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed');

const create = async (key: string, json: object = {}, claims = {}) =>
  setup.gateway.rest('POST', '/auth/keys', keyed(key, { token: await setup.sign(claims), json }));

const apiKeys = () => setup.gateway.rows('api_key');
const records = () => setup.gateway.rows('idempotency_record');

const fault = (type: string, msg: string) => ({
  detail: [{ loc: ['header', 'Idempotency-Key'], msg, type }],
});
const another = fault('value_error', 'Was used for another request in the last 24 hours. Use a new key.');

/** The fields that the documents tell of. */
const logFields = [
  ...readFileSync(join(root, 'docs/telemetry.md'), 'utf8').matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm),
].flatMap(([, names = '']) => names.match(/\w+/g) ?? []);

afterEach(() => vi.useRealTimers());

describe.each(changes)('%s with an Idempotency-Key', (name, method, path, json, query) => {
  const overRest = (token: string, key: string) =>
    setup.gateway.rest(method, path, keyed(key, { token, ...(json && { json }) }));
  const overGraphql = (token: string, key: string) =>
    setup.gateway.graphql(`mutation { ${name}${query} }`, keyed(key, { token }));

  const calls = [
    ['GraphQL', overGraphql] as const,
    ...(method === 'POST' ? [['REST', overRest] as const] : []),
  ];
  it.each(calls)('twice over %s → done once, and the same answer', async (_transport, call) => {
    const alice = await setup.gateway.createAccount('alice');
    await setup.gateway.createVerifiableKey(alice);
    const [token, key] = [await setup.sign(), randomUUID()];
    const first = await call(token, key);
    expect(first.status).toBeLessThan(300);
    expect(first.body.errors).toBeUndefined();
    expect(isReplayed(first)).toBeNull();
    const stored = await setup.stored();
    expect(stored['idempotency_record']).toHaveLength(1);
    for (const _again of [1, 2]) {
      const again = await call(token, key);
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
      expect(isReplayed(again)).toBe('true');
    }
    expect(await setup.stored()).toEqual(stored);
    const line = setup.gateway.log().at(-1) ?? {};
    expect(line).toMatchObject({ operation: name, replayed: true });
    // The process's own logger leaves `hostname` out.
    expect(['hostname', ...logFields]).toEqual(expect.arrayContaining(Object.keys(line)));
    // Without a key, or with another, it is carried out.
    const other = await call(token, randomUUID());
    expect(other.status).toBe(first.status);
    expect(isReplayed(other)).toBeNull();
  });
});

describe('an Idempotency-Key', () => {
  it('works across REST and GraphQL', async () => {
    const token = await setup.sign();
    const { body } = await create('one', { name: 'CI' });
    const call = keyed('one', { token });
    const answer = await setup.gateway.graphql(
      'mutation { createApiKey(name: "CI") { apiKey { id } key } }',
      call,
    );
    expect(answer.body).toEqual({ data: { createApiKey: { apiKey: { id: body.id }, key: body.key } } });
    expect(await apiKeys()).toHaveLength(1);
  });

  it.each([
    ['"one"', 'one'],
    ['"a\\\\b\\"c"', '"a\\\\b\\"c"'],
    ['"with spaces, and a comma"', '"with spaces, and a comma"'],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
    ["!#$%&'()*+-./:;<=>?@[\\]^_`{|}~", "!#$%&'()*+-./:;<=>?@[\\]^_`{|}~"],
  ])('may be %s', async (key, again) => {
    expect((await create(key)).status).toBe(201);
    expect(isReplayed(await create(again))).toBe('true');
    expect(await apiKeys()).toHaveLength(1);
  });

  it.each([
    '',
    '""',
    'two words',
    'one,two',
    '"one", "two"',
    '"one',
    'o"ne',
    '"one";a=1',
    '"\\n"',
    'x'.repeat(256),
    'é',
  ])('an invalid one → 422: %s', async (key) => {
    const before = await setup.stored();
    const answer = await create(key);
    const message = 'Must be 1 to 255 visible ASCII characters, bare or quoted.';
    expect([answer.status, answer.body]).toEqual([422, fault('string_pattern_mismatch', message)]);
    const token = await setup.sign();
    const { body } = await setup.gateway.graphql('mutation { createApiKey { key } }', keyed(key, { token }));
    const issues = [{ path: ['Idempotency-Key'], message, type: 'string_pattern_mismatch' }];
    expect(body.errors).toMatchObject([
      { message: `Idempotency-Key: ${message}`, extensions: { code: 'BAD_USER_INPUT', issues } },
    ]);
    expect(await setup.stored()).toEqual(before);
  });

  it.each<[string, string, string, object]>([
    ['other input', 'POST', '/auth/keys', { name: 'other' }],
    ['less input', 'POST', '/auth/keys', {}],
    ['another operation', 'POST', '/auth/private-key', { private_key: privateKey }],
    ['another operation of that kind', 'POST', '/auth/keys/1/rotate', { grace_seconds: 9 }],
  ])('is refused for another request: %s', async (_what, method, path, json) => {
    const token = await setup.sign();
    await create('one', { name: 'CI' });
    const before = await setup.stored();
    const answer = await setup.gateway.rest(method, path, keyed('one', { token, json }));
    expect([answer.status, answer.body]).toEqual([422, another]);
    expect(await setup.stored()).toEqual(before);
    expect(isReplayed(await create('one', { name: 'CI' }))).toBe('true');
  });

  it('belongs to one account', async () => {
    const alices = await create('one', { name: 'CI' });
    const bobs = await create('one', { name: 'another' }, { sub: 'bob' });
    expect([alices.status, bobs.status]).toEqual([201, 201]);
    expect(bobs.body.key).not.toBe(alices.body.key);
    expect((await create('one', { name: 'CI' })).body).toEqual(alices.body);
  });

  it('with two root fields → refused', async () => {
    const token = await setup.sign();
    const query =
      'mutation { a: createApiKey { key } ...B } fragment B on Mutation { b: createApiKey { key } }';
    const { body } = await setup.gateway.graphql(query, keyed('one', { token }));
    expect(body.errors[0]).toMatchObject({
      message: 'Idempotency-Key: Requires a document with exactly one root field.',
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(await apiKeys()).toEqual([]);
  });

  it.each([
    ['POST', '/keys/verify', { key: 'sk-a1b2c3.x' }],
    ['GET', '/auth/keys', undefined],
    ['PUT', '/automation/settings', {}],
    ['DELETE', '/auth/private-key', undefined],
  ])('is ignored if a repetition is safe anyway: %s %s', async (method, path, json) => {
    const token = await setup.sign({ scope: 'keys.verify openid email profile idp.signin.user.admin' });
    for (const key of ['one', 'one', 'no key,']) {
      const answer = await setup.gateway.rest(method, path, keyed(key, { token, ...(json && { json }) }));
      expect([answer.status, isReplayed(answer)]).toEqual([200, null]);
    }
    expect(await records()).toEqual([]);
  });
});

describe('an answer', () => {
  it('is stored without reading every row of any table, however many accounts there are', async () => {
    const token = await setup.sign();
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const { status } = await setup.gateway.rest('POST', '/auth/keys', { token, headers, json: {} });
      expect(status).toBe(201);
    });
    expect(sql.some((text) => text.includes('set "sealed_answer"'))).toBe(true);
    expect(sql.flatMap((text) => scannedTables(setup.gateway.database, text))).toEqual([]);
  });

  it('is stored in the transaction of the change', async () => {
    {
      await using _refused = await refuseRows(setup.gateway.database, 'idempotency_record');
      expect((await create('one')).status).toBeGreaterThanOrEqual(500);
    }
    {
      await using _refused = await refuseRows(setup.gateway.database, 'audit_event');
      expect((await create('one')).status).toBeGreaterThanOrEqual(500);
    }
    const { account, api_key, idempotency_record } = await setup.stored();
    expect([account, api_key, idempotency_record]).toEqual([[], [], []]);
    expect(isReplayed(await create('one'))).toBeNull();
    expect(await apiKeys()).toHaveLength(1);
  });

  it('of a failed operation is not stored: the next attempt may succeed', async () => {
    const token = await setup.sign();
    const rotate = (key: string) =>
      setup.gateway.rest('POST', '/auth/keys/1/rotate', keyed(key, { token, json: {} }));
    expect((await rotate('one')).status).toBe(404);
    expect(await setup.gateway.rows('account')).toEqual([]);
    const alice = await setup.gateway.createAccount('alice');
    const id = await setup.gateway.createApiKey(alice, { isActive: false });
    expect(id).toBe(1);
    expect((await rotate('one')).status).toBe(409);
    expect(await records()).toEqual([]);
    expect((await create('one', { name: '' })).status).toBe(422);
    expect((await create('one', { name: 'fine' })).status).toBe(201);
  });

  it('is not replayed to a caller without the scopes', async () => {
    await create('one');
    expect((await create('one', {}, { scope: 'openid' })).status).toBe(403);
    expect((await setup.gateway.rest('POST', '/auth/keys', keyed('one', { json: {} }))).status).toBe(401);
  });

  it('is replayed unchanged, even if the key has changed since', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { body } = await create('one', { expires_at: expiresAt });
    const token = await setup.sign();
    await setup.gateway.rest('DELETE', `/auth/keys/${body.id}`, { token });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
    expect((await create('one', { expires_at: expiresAt })).body).toEqual(body);
  });

  it('is deleted after 24 hours', async () => {
    const now = Date.now();
    const first = await create('one');
    await create('two');
    vi.useFakeTimers({ toFake: ['Date'], now: now + 24 * 3_600_000 - 5000 });
    expect((await create('one')).body).toEqual(first.body);
    await setup.gateway.idempotency.clean();
    expect(await records()).toHaveLength(2);
    vi.setSystemTime(Date.now() + 60_000);
    // One that is over and not deleted yet.
    const next = await create('one', { name: 'next' });
    expect([next.status, isReplayed(next)]).toEqual([201, null]);
    expect((await create('one', { name: 'next' })).body).toEqual(next.body);
    await setup.gateway.idempotency.clean();
    expect(await records()).toHaveLength(1);
  });

  it('is deleted in steps', async () => {
    const alice = await setup.gateway.createAccount('alice');
    await fill(alice, 450, new Date(Date.now() - 25 * 3_600_000));
    await create('one');
    await setup.gateway.idempotency.clean();
    expect(await records()).toHaveLength(1);
  });

  it('one more than 1000 for an account → 429; stored ones are still replayed', async () => {
    const alice = await setup.gateway.createAccount('alice');
    await fill(alice, 999, new Date());
    expect((await create('one')).status).toBe(201);
    const answer = await create('two');
    expect([answer.status, answer.body, answer.headers.get('retry-after')]).toEqual([
      429,
      { detail: 'You may use at most 1000 Idempotency-Keys in 24 hours' },
      '3600',
    ]);
    expect(isReplayed(await create('one'))).toBe('true');
    expect((await create('two', {}, { sub: 'bob' })).status).toBe(201);
    expect(await apiKeys()).toHaveLength(2);
  });

  /** Puts that many answers of an account into the database. */
  const fill = (account: number, count: number, at: Date) => {
    const isPostgres = inject('postgresUrl') !== undefined;
    const time = isPostgres ? `'${at.toISOString()}'` : at.getTime();
    const digest = isPostgres ? "decode(lpad(to_hex(n), 8, '0'), 'hex')" : 'cast(n as blob)';
    return setup.gateway.database.em.getConnection().execute(
      `with recursive number(n) as (select 1 union all select n + 1 from number where n < ${count})
      insert into idempotency_record (account_id, key_digest, sealed_answer, pepper_version, created_at)
      select ${account}, ${digest}, '', 1, ${time} from number`,
    );
  };

  it('is sealed, and opens only with its own Idempotency-Key', async () => {
    const { body } = await create('a-key-that-nobody-guesses');
    const [record] = await records();
    const { idempotency_record: rows, api_key_secret } = await setup.stored();
    expect(JSON.stringify([rows, api_key_secret])).not.toContain(body.key.slice(10));
    // Under the digest of another key, as if the row were that one's.
    const { key_digest } = record as { key_digest: Buffer };
    await create('another');
    const [, other] = await records();
    await setup.gateway.database.em
      .getConnection()
      .execute('delete from idempotency_record where id = ?', [record?.['id']]);
    await setup.gateway.database.em
      .getConnection()
      .execute('update idempotency_record set key_digest = ? where id = ?', [key_digest, other?.['id']]);
    const answer = await create('a-key-that-nobody-guesses');
    expect([answer.status, answer.body]).toEqual([500, { detail: 'Internal Server Error' }]);
    expect(setup.gateway.log().at(-1)).toMatchObject({ reason: 'seal-broken' });
  });
});

describe('while the first request runs', () => {
  it('another one → 409, and later the same answer', async () => {
    const { gateway } = setup;
    const finish = await holdCreation(gateway, setup.issuer.config.issuer, 'one');
    const answer = await create('one', { name: 'CI' });
    expect([answer.status, answer.headers.get('retry-after'), answer.body]).toEqual([
      409,
      '1',
      { detail: 'The first request with this Idempotency-Key is still running' },
    ]);
    const result = await finish();
    expect((await create('one', { name: 'CI' })).body.key).toBe(result.key);
    expect(await apiKeys()).toHaveLength(1);
  });
});

it('an account erased while the first request runs → 503, and nothing is stored', async () => {
  const { gateway } = setup;
  await gateway.createAccount('alice');
  const context = operationContext(gateway, setup.issuer.config.issuer);
  const erase = CompiledQuery.raw("update account set erased_at = '2026-01-31 12:00:00' where id = 1");
  const before = await setup.stored();
  const running = gateway.idempotency.runOnce(
    context,
    { key: 'one', name: 'createApiKey', input: { name: 'CI' } },
    async ({ db }) => db.run(erase, Account),
  );
  await expect(running).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', reason: 'account-changed' });
  expect(await setup.stored()).toEqual(before);
});

describe('while the first request of another caller runs', () => {
  it('the same subject of another issuer does not wait', async () => {
    const { gateway } = setup;
    const finish = await holdCreation(gateway, setup.issuer.config.issuer, 'one');
    const other = operationContext(gateway, 'https://other.example.com');
    const operation = { key: 'one', name: 'createApiKey', input: { name: 'CI' } };
    const answered = expect(gateway.idempotency.runOnce(other, operation, async () => 'done'));
    const isDone = answered.resolves.toEqual({ result: 'done', isReplayed: false });
    await finish();
    await isDone;
  });
});

describe('many requests at once', () => {
  it('with one Idempotency-Key → one API key; all successes have its secret', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        if (index % 2 === 0) return create('one', { name: 'CI' });
        const call = keyed('one', { token: await setup.sign() });
        return setup.gateway.graphql('mutation { createApiKey(name: "CI") { apiKey { id } key } }', call);
      }),
    );
    expectOne(answers);
    expect(await apiKeys()).toHaveLength(1);
    expect(await setup.gateway.rows('api_key_secret')).toHaveLength(1);
    // Whoever was told to come back does so.
    expectOne([await create('one', { name: 'CI' })]);
  });

  /** That some have succeeded, with one secret; all others were told that it still runs. */
  const expectOne = (answers: readonly Answer[]): void => {
    const keys = answers.flatMap(({ body }) => body.key ?? body.data?.createApiKey?.key ?? []);
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(keys).size).toBe(1);
    for (const { body, headers } of answers) {
      if (body.key ?? body.data?.createApiKey) continue;
      const message = 'The first request with this Idempotency-Key is still running';
      expect(body.detail ?? body.errors[0].message).toBe(message);
      expect(headers.get('retry-after')).toBe('1');
    }
  };
});
