import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { type Answer, createTestGateway, type TestGateway } from '../support/gateway.ts';
import type { TokenClaims } from '../support/issuer.ts';
import { createPeople, type People, trailOf, verify } from '../support/operators.ts';
import { recordStatements } from '../support/record-statements.ts';
import { actingFor, createServer, withAuthorization } from '../support/servers.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import {
  callGraphql,
  callRest,
  exampleOf,
  graphqlOutcome,
  type OperationName,
  operations,
  restOutcome,
  type Step,
  scopesOf,
} from '../support/two-sides.ts';

const dashboard = createServer('dashboard', 'accounts.act');
const setup = setUpGateway({ servers: [dashboard] });

const acting = { sub: 'support-tool', scope: 'accounts.act' };

/** How the trail and the log name that server. */
const supportTool = () => `support-tool (${setup.issuer.config.issuer})`;
const all = 'openid email profile idp.signin.user.admin';
const ownScopes: readonly string[] = all.split(' ');

/** The operations on what an account owns. */
const own = operations.filter((operation) => scopesOf(operation).every((scope) => ownScopes.includes(scope)));
const others = operations.filter((operation) => !own.includes(operation));

const sides = [
  ['REST', callRest, restOutcome],
  ['GraphQL', callGraphql, graphqlOutcome],
] as const;

let people: People;
beforeEach(async () => {
  people = await createPeople(setup);
});

/** The published example of an operation, for a key of bob's. */
const stepOf = (operation: OperationName): Step => {
  const { input, ...step } = exampleOf(operation);
  const keyId = `${people.bob.keyId}`;
  return 'keyId' in input
    ? { ...step, input: { ...input, keyId }, ...(step.pathText !== undefined && { pathText: keyId }) }
    : { ...step, input };
};

/** The gateway as a server calls it that acts for an account. */
const asServer = (account: number | string): TestGateway =>
  actingFor(withAuthorization(setup.gateway, `Bearer ${dashboard.secret}`), account);

const call = async (
  method: string,
  path: string,
  claims: TokenClaims,
  account?: number | string,
  json?: object,
) =>
  (account === undefined ? setup.gateway : actingFor(setup.gateway, account)).rest(method, path, {
    token: await setup.sign(claims),
    ...(json && { json }),
  });

it('the operations that take the header are those on what an account owns', () => {
  expect(own).toEqual(
    expect.arrayContaining([
      'createApiKey',
      'pauseApiKey',
      'privateKeyStatus',
      'myEntitlement',
      'auditEvents',
    ]),
  );
  expect(others).toEqual(
    expect.arrayContaining(['verifyApiKey', 'setEntitlement', 'blockAccount', 'ensureAccount']),
  );
});

describe.each(sides)('over %s', (side, send, outcomeOf) => {
  /** What a call comes to. Two texts that differ each time are left out. */
  const outcome = async (gateway: TestGateway, operation: OperationName, token?: string) => {
    const step = stepOf(operation);
    const answer: Answer = await send(gateway, step, token);
    return { status: answer.status, ...outcomeOf(answer, step) };
  };

  it.each(own)('%s works for another account, and reaches nothing of the caller', async (operation) => {
    // The caller has an account with a key of its own.
    const server = await setup.gateway.createAccount('support-tool');
    const mine = await setup.gateway.createApiKey(server, { name: 'Mine' });
    const untouched = async () => {
      const keys = (await setup.gateway.rows('api_key')).filter(({ id }) => id === mine);
      const events = (await setup.gateway.rows('audit_event')).filter((row) => row['account_id'] === server);
      return { keys, events };
    };
    const before = await untouched();
    const token = await setup.sign(acting);
    const { code, data } = (await outcome(actingFor(setup.gateway, people.bob.id), operation, token)) as {
      code: string;
      data?: { account?: number };
    };
    // Bob has only one secret, and cannot make a key with the example's permissions into another one twice.
    expect(code).toBe(operation === 'endApiKeySecret' ? 'NOT_FOUND' : 'OK');
    expect(JSON.stringify(data ?? '')).not.toContain('Mine');
    expect(await untouched()).toEqual(before);
  });

  it('no other operation takes the header, whatever the scopes', async () => {
    const before = await setup.stored();
    const token = await setup.sign({
      sub: 'everything',
      scope: `${all} keys.verify keys.import keyward.admin accounts.entitle accounts.act`,
    });
    for (const operation of others)
      expect(
        await outcome(actingFor(setup.gateway, people.bob.id), operation, token),
        operation,
      ).toMatchObject({
        code: 'BAD_USER_INPUT',
        issues: [{ type: 'value_error' }],
      });
    expect(await setup.stored()).toEqual(before);
  });

  it.each([
    ['a person', { sub: 'carol', scope: all }],
    ['a verifier', { sub: 'server', scope: 'keys.verify' }],
    ['a billing server', { sub: 'server', scope: 'accounts.entitle' }],
    ['an importer', { sub: 'server', scope: 'keys.import' }],
    ['an operator', { sub: 'olivia', scope: 'keyward.admin' }],
    ['nobody in particular', { sub: 'server', scope: '' }],
  ])('without the scope, %s gets 404, the same for accounts that exist and others', async (_who, claims) => {
    const erased = await setup.gateway.createAccount('erased', { erasedAt: new Date(), subject: 'gone' });
    const blocked = await setup.gateway.createAccount('blocked', { blockedAt: new Date() });
    const before = await setup.stored();
    const token = await setup.sign(claims);
    for (const operation of own) {
      const answers: unknown[] = [];
      for (const account of [people.bob.id, erased, blocked, 9999, 0, -1])
        answers.push(await outcome(actingFor(setup.gateway, account), operation, token));
      for (const answer of answers) expect(answer, operation).toEqual(answers[0]);
      expect(answers[0]).toMatchObject({ code: 'NOT_FOUND', message: 'Account not found' });
    }
    expect(await setup.stored()).toEqual(before);
  });

  it('with the scope: 404 for an unknown and an erased account, 403 for a blocked one', async () => {
    const erased = await setup.gateway.createAccount('erased', { erasedAt: new Date(), subject: 'gone' });
    const blocked = await setup.gateway.createAccount('blocked', { blockedAt: new Date() });
    const before = await setup.stored();
    const token = await setup.sign(acting);
    for (const operation of own) {
      for (const account of [erased, 9999, 0, -1])
        expect(await outcome(actingFor(setup.gateway, account), operation, token), operation).toMatchObject({
          code: 'NOT_FOUND',
          message: 'Account not found',
        });
      expect(await outcome(actingFor(setup.gateway, blocked), operation, token)).toMatchObject({
        code: 'FORBIDDEN',
        message: 'This account is blocked',
      });
    }
    expect(await setup.stored()).toEqual(before);
  });

  it('without the header, the scope is not enough, and the refusal names the header', async () => {
    const token = await setup.sign(acting);
    for (const operation of own)
      expect(await outcome(setup.gateway, operation, token), operation).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('To act for an account, name it in Keyward-Account'),
        challenge: expect.stringContaining('insufficient_scope'),
      });
  });

  it("one's own number is the same as no header", async () => {
    const token = await setup.sign({ sub: 'bob', scope: all });
    const operator = await setup.sign({ sub: 'bob', scope: `${all} keyward.admin` });
    for (const operation of ['apiKeys', 'privateKeyStatus', 'auditEvents', 'myEntitlement'] as const)
      expect(await outcome(actingFor(setup.gateway, people.bob.id), operation, token)).toEqual(
        await outcome(setup.gateway, operation, token),
      );
    expect(await outcome(actingFor(setup.gateway, people.bob.id), 'accounts', operator)).toMatchObject({
      code: 'OK',
    });
    const named = await outcome(
      actingFor(setup.gateway, people.bob.id),
      'apiKeys',
      await setup.sign({ ...acting, sub: 'bob' }),
    );
    expect(named).toMatchObject({ code: 'FORBIDDEN' });
  });

  it.each([
    '',
    ' ',
    'a',
    '1.0',
    '01',
    '+1',
    '0x1',
    '1e1',
    '1, 2',
    '2147483648',
    '99999999999999999999',
    '1\u00a0',
  ])('a malformed number → 422: %j', async (account) => {
    const token = await setup.sign(acting);
    const answer = await outcome(actingFor(setup.gateway, account), 'apiKeys', token);
    expect(answer).toMatchObject({ code: 'BAD_USER_INPUT', issues: [{ type: 'int_parsing' }] });
    if (side === 'REST') {
      const { body } = await actingFor(setup.gateway, account).rest('GET', '/auth/keys', { token });
      expect(body.detail[0].loc).toEqual(['header', 'keyward-account']);
    }
  });

  it('without a token: 401, whatever the header says', async () => {
    for (const account of [people.bob.id, 9999, 'a'])
      expect(await outcome(actingFor(setup.gateway, account), 'apiKeys')).toMatchObject({
        code: 'UNAUTHENTICATED',
        message: 'Not authenticated',
      });
  });

  it('a server with a secret of its own acts as well, and nobody else does with one', async () => {
    expect(await outcome(asServer(people.bob.id), 'apiKeys')).toMatchObject({ code: 'OK' });
    expect(await outcome(asServer(people.bob.id), 'createApiKey')).toMatchObject({ code: 'OK' });
    expect(
      await outcome(withAuthorization(setup.gateway, `Bearer ${dashboard.secret}`), 'apiKeys'),
    ).toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('a server whose own account is blocked acts for nobody', async () => {
    await setup.gateway.createAccount('support-tool', { blockedAt: new Date() });
    const before = await setup.stored();
    for (const account of [people.bob.id, 9999])
      expect(
        await outcome(actingFor(setup.gateway, account), 'createApiKey', await setup.sign(acting)),
      ).toMatchObject({
        code: 'FORBIDDEN',
        message: 'This account is blocked',
      });
    expect(await setup.stored()).toEqual(before);
  });
});

describe('what is done for an account', () => {
  it('is in its trail as done by the provider; only operators see which server did it, and nobody its address', async () => {
    const { body: made } = await call('POST', '/auth/keys', acting, people.bob.id, { name: 'CI' });
    await asServer(people.bob.id).rest('DELETE', `/auth/keys/${made.id}`);
    const [deactivated, created] = await trailOf(setup, people.bob.id);
    expect(created).toMatchObject({
      action: 'api-key-created',
      actor: 'provider',
      server: supportTool(),
      address: null,
    });
    expect(deactivated).toMatchObject({
      action: 'api-key-deactivated',
      actor: 'provider',
      server: 'dashboard',
      address: null,
    });
    const { body: seen } = await call('GET', '/audit-events?limit=1', { sub: 'bob' });
    expect(seen).toMatchObject([{ actor: 'provider', server: null }]);
    const { body: bySelf } = await call('GET', '/audit-events?limit=1', acting, people.bob.id);
    expect(bySelf).toMatchObject([{ actor: 'provider', server: null }]);
    const operators = { sub: 'olivia', scope: 'keyward.admin' };
    const { body: byOperator } = await call(
      'GET',
      `/admin/accounts/${people.bob.id}/audit-events?limit=2`,
      operators,
    );
    expect(byOperator.map(({ server }: { server: string }) => server)).toEqual(['dashboard', supportTool()]);
    expect(await verify(setup, made.key)).toMatchObject({ reason: 'inactive' });
  });

  it("a token whose `sub` is a server's name is not taken for that server", async () => {
    const sub = 's'.repeat(255);
    for (const [at, claims] of [
      { ...acting, sub: 'dashboard' },
      { ...acting, sub },
    ].entries()) {
      await call('POST', '/auth/keys', claims, people.bob.id, {});
      const [created] = await trailOf(setup, people.bob.id);
      expect(created?.['server'], `${at}`).toBe(`${claims.sub} (${setup.issuer.config.issuer})`);
    }
  });

  it('is in the log with the account and the server', async () => {
    await call('POST', '/auth/keys', acting, people.bob.id, {});
    const lines = setup.gateway.log();
    expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({
      accountId: people.bob.id,
      server: supportTool(),
    });
    expect(lines.find(({ event }) => event === 'api-key-created')).toMatchObject({
      accountId: people.bob.id,
      server: supportTool(),
    });
  });

  it("is not in the log for one's own account", async () => {
    await call('POST', '/auth/keys', { sub: 'bob', scope: `${all} accounts.act` }, people.bob.id, {});
    const lines = setup.gateway.log();
    expect(lines.filter(({ msg }) => msg === 'request' || msg === 'api-key-created')).toHaveLength(2);
    for (const line of lines) expect(line).not.toHaveProperty('server');
  });

  it('counts towards the limits of the account', async () => {
    const overrides = { max_active_keys: 2 };
    const operators = { sub: 'olivia', scope: 'keyward.admin' };
    await call('PUT', `/admin/accounts/${people.bob.id}/entitlement`, operators, undefined, {
      overrides,
      reason: 'x',
    });
    expect((await call('POST', '/auth/keys', acting, people.bob.id, {})).status).toBe(201);
    expect((await call('POST', '/auth/keys', acting, people.bob.id, {})).status).toBe(409);
    expect((await call('POST', '/auth/keys', acting, people.carol.id, {})).status).toBe(201);
  });

  it('a key that a server paused for its owner is one that the owner paused', async () => {
    const { body } = await call('POST', `/auth/keys/${people.bob.keyId}/pause`, acting, people.bob.id, {});
    expect(body).toMatchObject({ paused_by: 'owner' });
    expect((await call('POST', `/auth/keys/${people.bob.keyId}/resume`, { sub: 'bob' })).status).toBe(200);
  });

  it('an Idempotency-Key belongs to the server and the account together', async () => {
    const create = async (claims: TokenClaims | undefined, account?: number) => {
      const gateway = claims ? setup.gateway : withAuthorization(setup.gateway, `Bearer ${dashboard.secret}`);
      const { status, body, headers } = await (account === undefined
        ? gateway
        : actingFor(gateway, account)
      ).rest('POST', '/auth/keys', {
        ...(claims && { token: await setup.sign(claims) }),
        json: { name: 'CI' },
        headers: { 'idempotency-key': 'k1' },
      });
      return { status, id: body.id, isReplayed: headers.get('idempotent-replayed') === 'true' };
    };
    const callers: [TokenClaims | undefined, number?][] = [
      [acting, people.bob.id],
      [{ ...acting, sub: 'another-tool' }, people.bob.id],
      [undefined, people.bob.id],
      [acting, people.carol.id],
      [{ sub: 'bob' }],
      [{ sub: 'carol' }],
    ];
    const made = new Set<number>();
    for (const caller of callers) {
      const first = await create(...caller);
      expect(first).toMatchObject({ status: 201, isReplayed: false });
      expect(made.has(first.id)).toBe(false);
      made.add(first.id);
      expect(await create(...caller)).toEqual({ ...first, isReplayed: true });
    }
  });

  it("a key of the owner's that looks like one of a server is another one", async () => {
    const key = ['urn:keyward:server', 'dashboard', 'k1'];
    const create = (gateway: TestGateway, idempotencyKey: string, token?: string) =>
      gateway.rest('POST', '/auth/keys', {
        json: { name: 'CI' },
        headers: { 'idempotency-key': idempotencyKey },
        ...(token && { token }),
      });
    const quoted = `"${JSON.stringify(key).replaceAll('"', '\\"')}"`;
    const mine = await create(setup.gateway, quoted, await setup.sign({ sub: 'bob' }));
    const acted = await create(asServer(people.bob.id), 'k1');
    expect([mine.status, acted.status]).toEqual([201, 201]);
    expect(acted.body.id).not.toBe(mine.body.id);
  });

  it('a change counts towards those of the day of the account, and an end is never refused', async () => {
    await using gateway = await createTestGateway(setup.issuer, { changesPerDay: 1 });
    const bob = await gateway.createAccount('bob');
    const keyId = await gateway.createApiKey(bob);
    const token = await setup.sign(acting);
    const forBob = actingFor(gateway, bob);
    const rename = (name: string) => forBob.rest('PATCH', `/auth/keys/${keyId}`, { token, json: { name } });
    expect((await rename('One')).status).toBe(200);
    expect((await rename('Two')).status).toBe(429);
    const byBob = { token: await setup.sign({ sub: 'bob' }), json: { name: 'Three' } };
    expect((await gateway.rest('PATCH', `/auth/keys/${keyId}`, byBob)).status).toBe(429);
    expect((await forBob.rest('DELETE', `/auth/keys/${keyId}`, { token })).status).toBe(200);
  });

  it('GraphQL refuses a document with a field that is not of the owner', async () => {
    const token = await setup.sign({ ...acting, scope: 'accounts.act keys.verify' });
    const query = 'mutation { createApiKey { key } verifyApiKey(key: "sk-") { valid } }';
    const before = await setup.stored();
    for (let time = 0; time < 2; time += 1) {
      const { body } = await actingFor(setup.gateway, people.bob.id).fetch('POST', '/graphql', {
        token,
        json: { query },
      });
      expect(body.errors[0].extensions).toMatchObject({
        code: 'BAD_USER_INPUT',
        issues: [{ path: ['header', 'keyward-account'] }],
      });
    }
    expect(await setup.stored()).toEqual(before);
  });

  it('a server that may not act learns nothing of the schema by the header', async () => {
    const token = await setup.sign({ sub: 'server', scope: '' });
    const json = { query: '{ apiKeyz { id } }' };
    const { body } = await actingFor(setup.gateway, 1).fetch('POST', '/graphql', { token, json });
    expect(body.errors.map(({ message }: { message: string }) => message)).toEqual(['Account not found']);
  });

  it('If-Match is about the record of the account', async () => {
    const token = await setup.sign(acting);
    const gateway = actingFor(setup.gateway, people.bob.id);
    const path = `/auth/keys/${people.bob.keyId}`;
    const { headers } = await gateway.rest('GET', path, { token });
    const ifMatch = { 'if-match': `${headers.get('etag')}` };
    const rename = (name: string) => gateway.rest('PATCH', path, { token, json: { name }, headers: ifMatch });
    expect((await rename('CI')).status).toBe(200);
    expect((await rename('CD')).status).toBe(412);
  });
});

it('requests of several callers in the same turn never mix accounts', async () => {
  const { bob, carol } = people;
  const names = new Map<string, number>();
  const send = async (claims: TokenClaims, account: number, isNamed: boolean, turn: number) => {
    const name = `${claims.sub} for ${account}, ${turn}`;
    names.set(name, account);
    const gateway = isNamed ? actingFor(setup.gateway, account) : setup.gateway;
    const token = await setup.sign(claims);
    const headers = { 'idempotency-key': `k${turn}` };
    const query = 'mutation Create($name: String) { createApiKey(name: $name) { apiKey { id name } } }';
    if (turn % 2 === 0) {
      const json = { query, variables: { name } };
      const { body } = await gateway.fetch('POST', '/graphql', { token, json, headers });
      return { token, gateway, name, id: body.data.createApiKey.apiKey.id as number };
    }
    const { body } = await gateway.rest('POST', '/auth/keys', { token, json: { name }, headers });
    return { token, gateway, name, id: body.id as number };
  };
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, turn) => [
      send(acting, bob.id, true, turn),
      send({ ...acting, sub: 'another-tool' }, carol.id, true, turn),
      send({ sub: 'bob' }, bob.id, false, turn),
      send({ sub: 'carol' }, carol.id, false, turn),
    ]).flat(),
  );
  const keys = (await setup.gateway.rows('api_key')).filter(({ name }) => names.has(`${name}`));
  expect(keys).toHaveLength(40);
  for (const { name, account_id } of keys) expect(account_id, `${name}`).toBe(names.get(`${name}`));
  // Each renames its own key, if it is as it was read.
  const renamed = await Promise.all(
    made.map(async ({ token, gateway, name, id }) => {
      const { headers } = await gateway.rest('GET', `/auth/keys/${id}`, { token });
      const ifMatch = { 'if-match': `${headers.get('etag')}` };
      const json = { name: `${name}!` };
      return (await gateway.rest('PATCH', `/auth/keys/${id}`, { token, json, headers: ifMatch })).body.name;
    }),
  );
  expect(renamed).toEqual(made.map(({ name }) => `${name}!`));
});

it('the same key and the same body, from several callers in the same turn, make a record for each', async () => {
  const { bob, carol } = people;
  const create = async (claims: TokenClaims, account?: number) => {
    const gateway = account === undefined ? setup.gateway : actingFor(setup.gateway, account);
    const token = await setup.sign(claims);
    const headers = { 'idempotency-key': 'same' };
    return (await gateway.rest('POST', '/auth/keys', { token, json: { name: 'Same' }, headers })).body;
  };
  const made = await Promise.all([
    create(acting, bob.id),
    create({ ...acting, sub: 'another-tool' }, bob.id),
    create(acting, carol.id),
    create({ sub: 'bob' }),
    create({ sub: 'carol' }),
  ]);
  expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
  const stored = (await setup.gateway.rows('api_key')).filter(({ name }) => name === 'Same');
  expect(stored.map(({ account_id }) => Number(account_id)).toSorted((one, other) => one - other)).toEqual(
    [bob.id, bob.id, bob.id, carol.id, carol.id].toSorted((one, other) => one - other),
  );
});

describe('GraphQL without an operation on data', () => {
  it.each([
    ['introspection', '{ __schema { queryType { name } } }'],
    ['a type name', '{ __typename }'],
  ])('%s ignores who owns what, and refuses an account that is not there', async (_what, query) => {
    const token = await setup.sign(acting);
    const ask = (account: number) =>
      actingFor(setup.gateway, account).fetch('POST', '/graphql', { token, json: { query } });
    expect((await ask(people.bob.id)).body.data).toBeTruthy();
    expect((await ask(9999)).body.errors).toMatchObject([{ message: 'Account not found' }]);
  });

  it('a query in the address is for the account as well', async () => {
    await setup.gateway.createApiKey(people.bob.id, { name: 'Seen' });
    const query = encodeURIComponent('{ apiKeys(first: 1) { edges { node { name } } } }');
    const token = await setup.sign(acting);
    const { body } = await actingFor(setup.gateway, people.bob.id).fetch('GET', `/graphql?query=${query}`, {
      token,
    });
    expect(body.data.apiKeys.edges).toEqual([{ node: { name: 'Seen' } }]);
  });
});

describe('a request costs', () => {
  const statements = async (account?: number) => {
    const token = await setup.sign({ sub: 'bob', scope: `${all} accounts.act` });
    const gateway = account === undefined ? setup.gateway : actingFor(setup.gateway, account);
    await gateway.rest('GET', '/auth/keys', { token });
    const { sql } = await recordStatements(setup.gateway.database, () =>
      gateway.rest('GET', '/auth/keys', { token }),
    );
    return sql.length;
  };

  it('no statement more without the header, and one with it', async () => {
    await setup.gateway.createApiKey(people.carol.id);
    expect([await statements(), await statements(people.carol.id)]).toEqual([1, 2]);
  });

  it.each(sides)('over %s, one statement if it is refused for its account', async (_side, send) => {
    const token = await setup.sign(acting);
    // The document is known by now.
    await send(actingFor(setup.gateway, people.bob.id), stepOf('apiKeys'), token);
    const { sql } = await recordStatements(setup.gateway.database, async () =>
      expect((await send(actingFor(setup.gateway, 9999), stepOf('apiKeys'), token)).status).toBe(404),
    );
    expect(sql).toHaveLength(1);
  });
});

describe('the account is blocked or erased in the middle', () => {
  const changes: [string, string, object?][] = [
    ['POST', '/auth/keys', {}],
    ['PATCH', '/auth/keys/:key', { name: 'CI' }],
    ['POST', '/auth/keys/:key/rotate', {}],
    ['POST', '/auth/keys/:key/pause', {}],
    ['PUT', '/auth/keys/:key/default'],
    ['POST', '/auth/private-key', { private_key: '1'.padStart(64, '0') }],
    ['PUT', '/automation/settings', { is_enabled: true }],
  ];
  const reads: [string, string, object?][] = [
    ['GET', '/auth/keys/:key'],
    ['GET', '/auth/private-key'],
    ['GET', '/automation/settings'],
    ['GET', '/auth/entitlement'],
  ];
  const states = [
    ['blocked', { blocked_at: new Date() }],
    ['erased', { erased_at: new Date(), subject: 'gone' }],
  ] as const;

  /**
   * Calls while the account changes before the call's statement of that number, counted from 1. The last of them is the
   * one that locks the account: at the latest, the INSERT into the audit trail.
   */
  const callWithChangeAt = async (
    [method, path, json]: (typeof changes)[number],
    at: number,
    change: (typeof states)[number][1],
  ) => {
    const { kysely } = new Db(setup.gateway.database.em);
    const { run } = Db.prototype;
    let asked = 0;
    let isChanged = false;
    let isLocked = false;
    const spy = vi.spyOn(Db.prototype, 'run').mockImplementation(async function (this: Db, ...question) {
      asked += 1;
      if (asked === at && !isLocked) {
        isChanged = true;
        await kysely.updateTable('account').set(change).where('id', '=', people.bob.id).execute();
      }
      isLocked ||= /^insert into "audit_event"|from "account" .* for no key update/.test(question[0].sql);
      return run.apply(this, question as never) as never;
    });
    const { status } = await call(
      method,
      path.replace(':key', `${people.bob.keyId}`),
      acting,
      people.bob.id,
      json,
    );
    spy.mockRestore();
    return { status, asked, isChanged };
  };

  describe.each(states)('%s', (_how, change) => {
    it.each([...changes, ...reads])('%s %s → refused, and nothing is written', async (...request) => {
      const { kysely } = new Db(setup.gateway.database.em);
      let points = 0;
      for (let at = 2, most = 2; at <= most; at += 1) {
        await kysely
          .updateTable('account')
          .set({ blocked_at: null, erased_at: null, subject: 'bob' })
          .where('id', '=', people.bob.id)
          .execute();
        const { account: _, ...before } = await setup.stored();
        const { status, asked, isChanged } = await callWithChangeAt(request, at, change);
        most = Math.max(most, asked);
        if (!isChanged) continue;
        points += 1;
        expect([403, 404, 503], `statement ${at}`).toContain(status);
        const { account: __, ...after } = await setup.stored();
        expect(after, `statement ${at}`).toEqual(before);
      }
      expect(points).toBeGreaterThan(0);
    });
  });
});
