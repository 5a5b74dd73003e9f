import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../src/api-keys/create-api-key.ts';
import { Db } from '../../src/database/db.ts';
import { exportKeys } from '../../src/transfer/export-keys.ts';
import { type Call, createTestGateway, type TestGateway } from '../support/gateway.ts';
import type { TokenClaims } from '../support/issuer.ts';
import { operationContext } from '../support/operation-context.ts';
import { actingFor, forOrganization } from '../support/servers.ts';
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

const setup = setUpGateway({
  organization: {
    claim: 'orgs',
    roles: '*.role',
    manage: ['admin', 'owner'],
    read: ['member'],
    name: '*.name',
  },
});

const sides = [
  ['REST', callRest, restOutcome],
  ['GraphQL', callGraphql, graphqlOutcome],
] as const;

const ownScopes = 'openid email profile idp.signin.user.admin';
const own = operations.filter((operation) =>
  scopesOf(operation).every((scope) => ownScopes.split(' ').includes(scope)),
);
const others = operations.filter((operation) => !own.includes(operation));
/** Whether an operation only reads. */
const isQuery = (operation: OperationName): boolean =>
  /^(?:apiKey|defaultApiKey|privateKeyStatus|my|automationSettings|auditEvents)/.test(operation);

const admin: TokenClaims = { sub: 'alice', orgs: { acme: { role: 'admin', name: 'Acme Inc.' } } };
const member: TokenClaims = { sub: 'mona', orgs: { acme: { role: 'member' } } };
const guest: TokenClaims = { sub: 'gus', orgs: { acme: { role: 'guest' } } };

const rest = async (
  gateway: TestGateway,
  method: string,
  path: string,
  claims: TokenClaims,
  call: Call = {},
) => gateway.rest(method, path, { ...call, token: await setup.sign(claims) });

/** The gateway for acme. */
const acme = () => forOrganization(setup.gateway, 'acme');

const createKey = (claims = admin, json: object = { name: 'Web shop' }, gateway = acme()) =>
  rest(gateway, 'POST', '/auth/keys', claims, { json });

const accounts = async () =>
  (await setup.gateway.rows('account')).map(({ id, subject, kind }) => ({ id, subject, kind }));

const verify = async (key: string) =>
  (
    await rest(
      setup.gateway,
      'POST',
      '/keys/verify',
      { sub: 'server', scope: 'keys.verify' },
      { json: { key } },
    )
  ).body;

it('the first change creates the account of the organisation and of the member; a read creates none', async () => {
  for (const path of ['/auth/keys', '/auth/private-key', '/automation/settings', '/auth/accounts'])
    expect((await rest(acme(), 'GET', path, admin)).status, path).toBe(200);
  expect(await accounts()).toEqual([]);
  const created = await createKey();
  expect(created.status).toBe(201);
  const [organization, alice] = await accounts();
  expect([organization, alice]).toMatchObject([
    { subject: 'acme', kind: 'organization' },
    { subject: 'alice', kind: 'person' },
  ]);
  expect(created.body).toMatchObject({ owner_kind: 'organization', created_by: alice?.id });
  const [row] = await setup.gateway.rows('api_key');
  expect(row).toMatchObject({ account_id: organization?.id, created_by: alice?.id });
});

it('what a person owns looks as before', async () => {
  const { body } = await rest(setup.gateway, 'POST', '/auth/keys', admin, { json: { name: 'Laptop' } });
  expect(Object.keys(body)).not.toContain('owner_kind');
  expect(Object.keys(body)).not.toContain('created_by');
  const ended = await rest(setup.gateway, 'DELETE', `/auth/keys/${body.id}`, admin);
  expect(ended.text).not.toMatch(/owner_kind|created_by/);
  expect(await accounts()).toMatchObject([{ subject: 'alice', kind: 'person' }]);
});

it('an organisation and a person of the same text have two accounts, and neither sees the other’s', async () => {
  const person: TokenClaims = { ...admin, sub: 'acme' };
  await createKey(person, { name: 'Of the person' }, setup.gateway);
  await createKey(person, { name: 'Of the organisation' });
  const names = async (gateway: TestGateway) =>
    (await rest(gateway, 'GET', '/auth/keys', person)).body.map(({ name }: { name: string }) => name);
  expect(await names(setup.gateway)).toEqual(['Of the person']);
  expect(await names(acme())).toEqual(['Of the organisation']);
  expect(await accounts()).toHaveLength(2);
});

it('without the header, a call is for the person, whatever the token says', async () => {
  await createKey();
  const { body } = await rest(setup.gateway, 'GET', '/auth/keys', admin);
  expect(body).toEqual([]);
});

describe.each(sides)('over %s', (_side, send, outcomeOf) => {
  /** The published example of an operation, for this key. */
  const stepOf = (operation: OperationName, keyId: number): Step => {
    const { input, ...step } = exampleOf(operation);
    return 'keyId' in input
      ? {
          ...step,
          input: { ...input, keyId: `${keyId}` },
          ...(step.pathText !== undefined && { pathText: `${keyId}` }),
        }
      : { ...step, input };
  };
  const outcome = async (gateway: TestGateway, operation: OperationName, claims: TokenClaims, keyId = 1) => {
    const step = stepOf(operation, keyId);
    const answer = await send(gateway, step, await setup.sign(claims));
    return { status: answer.status, ...outcomeOf(answer, step) };
  };

  it.each(own)(
    '%s: members with a role that manages may, others read, and strangers find nothing',
    async (operation) => {
      const { id } = (await createKey()).body;
      const managed = await outcome(acme(), operation, admin, id);
      // There is no other secret that could end.
      expect(managed.code).toBe(operation === 'endApiKeySecret' ? 'NOT_FOUND' : 'OK');
      expect(await outcome(acme(), operation, member, id)).toMatchObject(
        isQuery(operation)
          ? { code: managed.code }
          : { code: 'FORBIDDEN', message: expect.stringContaining('Roles that may: admin, owner') },
      );
      expect(await outcome(acme(), operation, guest)).toMatchObject({
        code: 'FORBIDDEN',
        message: 'Your role in this organization may not see anything. Roles that may: admin, owner, member',
      });
      const before = await setup.stored();
      for (const organization of ['acme', 'globex', 'ACME', '', 'acme ', '*'])
        expect(
          await outcome(forOrganization(setup.gateway, organization), operation, { sub: 'stranger' }),
          organization,
        ).toMatchObject({
          code: 'NOT_FOUND',
          message: 'Organization not found: the access token does not name it',
        });
      expect(await setup.stored()).toEqual(before);
    },
  );

  it('no other operation takes the header', async () => {
    const everything = {
      ...admin,
      scope: `${ownScopes} keys.verify keys.import keyward.admin accounts.entitle`,
    };
    const before = await setup.stored();
    for (const operation of others)
      expect(await outcome(acme(), operation, everything), operation).toMatchObject({
        code: 'BAD_USER_INPUT',
      });
    expect(await setup.stored()).toEqual(before);
  });

  it('needs the same scopes as for oneself', async () => {
    for (const operation of own)
      expect(await outcome(acme(), operation, { ...admin, scope: 'keys.verify' }), operation).toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('lacks the scope'),
      });
  });

  it('both headers are one too many', async () => {
    expect(await outcome(actingFor(acme(), 1), 'apiKeys', admin)).toMatchObject({
      status: 400,
      message: 'Send Keyward-Account or Keyward-Organization, not both',
    });
  });
});

it('a member may name the organisation by the number of its account; a stranger may not', async () => {
  await createKey();
  const [organization] = await accounts();
  const numbered = actingFor(setup.gateway, organization?.id as number);
  expect((await rest(numbered, 'GET', '/auth/keys', admin)).body).toHaveLength(1);
  expect((await createKey(admin, {}, numbered)).status).toBe(201);
  expect((await createKey(member, {}, numbered)).status).toBe(403);
  const stranger = await rest(numbered, 'GET', '/auth/keys', { sub: 'stranger' });
  expect(stranger.status).toBe(404);
  const nobodys = await rest(actingFor(setup.gateway, 9999), 'GET', '/auth/keys', { sub: 'stranger' });
  expect(stranger.text).toBe(nobodys.text);
});

it('a server acts for an organisation by its number', async () => {
  await createKey();
  const [organization] = await accounts();
  const server = { sub: 'dashboard', scope: 'accounts.act' };
  const numbered = actingFor(setup.gateway, organization?.id as number);
  const { body } = await createKey(server, { name: 'By the server' }, numbered);
  expect(body).toMatchObject({ owner_kind: 'organization' });
  expect(Object.keys(body)).not.toContain('created_by');
});

it('a verification and the answer to a proxy name the organisation', async () => {
  const { body: created } = await createKey();
  const { body: mine } = await createKey(admin, {}, setup.gateway);
  expect(await verify(created.key)).toMatchObject({ owner_kind: 'organization', organization_id: 'acme' });
  expect(await verify(mine.key)).toMatchObject({ owner_kind: 'person', organization_id: null });
  const ask = async (key: string) =>
    (
      await setup.gateway.fetch('GET', '/api/v1/keys/authorize', { headers: { 'x-api-key': key } })
    ).headers.get('x-keyward-organization');
  expect([await ask(created.key), await ask(mine.key)]).toEqual(['acme', '']);
});

it('both trails have what a member did, and the member’s address stays with the member’s account', async () => {
  const { body: key } = await createKey();
  await rest(acme(), 'DELETE', `/auth/keys/${key.id}`, { ...admin, sub: 'olga' }, { address: '192.0.2.7' });
  const [organization, alice, olga] = await accounts();
  const trail = async (gateway: TestGateway, claims: TokenClaims) =>
    (await rest(gateway, 'GET', '/audit-events', claims)).body.map(
      ({ action, actor, actor_id, user_id, on_user_id, address }: Record<string, unknown>) => ({
        address,
        action,
        actor,
        actor_id,
        user_id,
        on_user_id,
      }),
    );
  const ofMember = { address: null, actor: 'member', user_id: organization?.id, on_user_id: null };
  expect(await trail(acme(), member)).toEqual([
    { ...ofMember, action: 'api-key-deactivated', actor_id: olga?.id },
    { ...ofMember, action: 'api-key-created', actor_id: alice?.id },
    { ...ofMember, action: 'account-created', actor_id: alice?.id },
  ]);
  const ofSelf = { address: '192.0.2.7', actor: 'self', actor_id: null };
  expect(await trail(setup.gateway, { sub: 'olga' })).toEqual([
    { ...ofSelf, action: 'api-key-deactivated', user_id: olga?.id, on_user_id: organization?.id },
    { ...ofSelf, action: 'account-created', user_id: olga?.id, on_user_id: null },
  ]);
});

it('a member’s changes count for the member too, and an ending is never refused', async () => {
  await using other = await createTestGateway(setup.issuer, {
    organization: { claim: 'orgs', manage: undefined, roles: undefined, read: undefined, name: undefined },
    changesPerDay: 4,
  } as never);
  await other.verificationKeys.refresh();
  const claims = { sub: 'alice', orgs: ['a', 'b', 'c'] };
  const create = async (organization: string) => createKey(claims, {}, forOrganization(other, organization));
  // Each also creates an account: of alice one more.
  expect((await create('a')).status).toBe(201);
  const key = (await create('a')).body.id;
  expect((await create('b')).status).toBe(429);
  const ended = await rest(forOrganization(other, 'a'), 'DELETE', `/auth/keys/${key}`, claims);
  expect(ended.body).toMatchObject({ is_active: false });
  // The organisation has made its four, so nobody else makes one for it; for another, they do.
  const bob = { ...claims, sub: 'bob' };
  const asBob = (organization: string) => createKey(bob, {}, forOrganization(other, organization));
  expect((await asBob('a')).status).toBe(429);
  expect((await asBob('c')).status).toBe(201);
});

it('who has left can do nothing; the keys go on', async () => {
  const { body: key } = await createKey();
  const left: TokenClaims = { sub: 'alice', orgs: {} };
  expect((await rest(acme(), 'GET', '/auth/keys', left)).status).toBe(404);
  expect((await rest(acme(), 'DELETE', `/auth/keys/${key.id}`, left)).status).toBe(404);
  expect(await verify(key.key)).toMatchObject({ valid: true, organization_id: 'acme' });
});

const operator = { sub: 'olivia', scope: 'keyward.admin' };

it('an erased member leaves the keys, which no longer name them', async () => {
  const { body: key } = await createKey();
  const [, alice] = await accounts();
  expect((await rest(setup.gateway, 'DELETE', `/admin/accounts/${alice?.id}`, operator)).status).toBe(200);
  await expect
    .poll(async () => (await setup.gateway.rows('api_key')).map(({ created_by }) => created_by))
    .toEqual([null]);
  expect(await verify(key.key)).toMatchObject({ valid: true, organization_id: 'acme' });
  const { body } = await rest(acme(), 'GET', `/auth/keys/${key.id}`, member);
  expect(body).toMatchObject({ owner_kind: 'organization', name: 'Web shop' });
  expect(Object.keys(body)).not.toContain('created_by');
});

it('a blocked organisation or member can do nothing', async () => {
  const { body: key } = await createKey();
  const [organization, alice] = await accounts();
  const block = (id: unknown) =>
    rest(setup.gateway, 'POST', `/admin/accounts/${id}/block`, operator, { json: { reason: 'Why' } });
  await block(alice?.id);
  expect((await rest(acme(), 'GET', '/auth/keys', admin)).status).toBe(403);
  expect((await rest(acme(), 'GET', '/auth/keys', member)).status).toBe(200);
  expect(await verify(key.key)).toMatchObject({ valid: true });
  await block(organization?.id);
  expect((await rest(acme(), 'GET', '/auth/keys', member)).status).toBe(403);
  expect(await verify(key.key)).toMatchObject({ valid: false, reason: 'account_blocked' });
});

it('an erased organisation begins anew', async () => {
  await createKey();
  const [organization] = await accounts();
  await rest(setup.gateway, 'DELETE', `/admin/accounts/${organization?.id}`, operator);
  expect((await rest(acme(), 'GET', '/auth/keys', admin)).body).toEqual([]);
  await createKey();
  const all = await accounts();
  expect(all.filter(({ kind }) => kind === 'organization')).toHaveLength(2);
});

it('operators find organisations beside people, and see which is which', async () => {
  await createKey();
  const find = async (filter: string) =>
    (await rest(setup.gateway, 'GET', `/admin/accounts?filter=${filter}`, operator)).body.map(
      ({ subject, kind }: Record<string, unknown>) => `${subject}: ${kind}`,
    );
  expect(await find('CM')).toEqual(['acme: organization']);
  expect(await find('ali')).toEqual(['alice: person']);
  const { body } = await rest(setup.gateway, 'POST', '/admin/keys/find', operator, {
    json: { key_prefix: (await setup.gateway.rows('api_key'))[0]?.['key_prefix'] },
  });
  expect(body).toMatchObject([{ subject: 'acme', owner_kind: 'organization' }]);
});

it('each member has their own Idempotency-Keys', async () => {
  const headers = { 'idempotency-key': 'one-and-the-same' };
  const send = (claims: TokenClaims) =>
    rest(acme(), 'POST', '/auth/keys', claims, { json: { name: 'Once' }, headers });
  const first = await send(admin);
  expect((await send(admin)).body).toEqual(first.body);
  const others = await send({ ...admin, sub: 'olga' });
  expect(others.body.id).not.toBe(first.body.id);
  // Whoever may only read gets no earlier answer with a secret.
  expect((await send({ ...admin, orgs: { acme: { role: 'member' } } })).status).toBe(403);
});

it('an answer that was stored before there were organisations is of a person', async () => {
  const { gateway } = setup;
  const operation = { key: 'before', name: 'createApiKey', input: { name: 'CI' } };
  const stored = await gateway.idempotency.runOnce(
    operationContext(gateway, setup.issuer.config.issuer),
    operation,
    async (context) => {
      const { ownerKind: _, createdBy: __, ...answer } = await createApiKey(context, { name: 'CI' });
      return answer;
    },
  );
  const headers = { 'idempotency-key': 'before' };
  const { status, body } = await rest(gateway, 'POST', '/auth/keys', admin, {
    json: { name: 'CI' },
    headers,
  });
  expect([status, body.key]).toEqual([201, stored.result.key]);
});

it('a server prepares an organisation’s account, its plan and its keys', async () => {
  const { issuer } = setup.issuer.config;
  const put = (path: string, json: object, scope: string, method = 'PUT') =>
    rest(setup.gateway, method, path, { sub: 'server', scope }, { json });
  const ensured = await put('/admin/accounts', { issuer, organization: 'acme' }, 'accounts.act');
  expect(ensured.body).toMatchObject({ subject: 'acme', kind: 'organization' });
  const again = await put('/admin/accounts', { issuer, organization: 'acme' }, 'accounts.act');
  expect(again.body.user_id).toBe(ensured.body.user_id);
  const person = await put('/admin/accounts', { issuer, subject: 'acme' }, 'accounts.act');
  expect(person.body.user_id).not.toBe(ensured.body.user_id);
  for (const named of [
    {},
    { subject: 'acme', organization: 'acme' },
    { organization: 'Süd' },
    { organization: '' },
  ])
    expect((await put('/admin/accounts', { issuer, ...named }, 'accounts.act')).status).toBe(422);
  const imported = await put(
    '/keys/import',
    { issuer, organization: 'acme', key: `old_${'a1b2c3d4'.repeat(5)}`, key_prefix: 'old_' },
    'keys.import',
    'POST',
  );
  expect(imported.body).toMatchObject({ user_id: ensured.body.user_id, is_new: true });
  const lines: string[] = [];
  for await (const text of exportKeys(new Db(setup.gateway.database.em))) lines.push(text);
  expect(JSON.parse(lines.join(''))).toMatchObject({ issuer, organization: 'acme', key_prefix: 'old_' });
});

it.each([
  [{ orgs: 42 }, 'orgs'],
  [{ orgs: { acme: { role: 7 } } }, '*.role'],
  [{ orgs: { acme: { role: 'admin', name: {} } } }, '*.name'],
])('a malformed claim → 401, and the log says which: %j', async (claims, path) => {
  const answer = await rest(setup.gateway, 'GET', '/auth/private-key', claims);
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ detail: 'Could not validate credentials' });
  expect(setup.gateway.log().at(-1)).toMatchObject({ reason: `token-organization-claim: ${path}` });
});

it('without the setting there is no organisation', async () => {
  await using plain = await createTestGateway(setup.issuer);
  await plain.verificationKeys.refresh();
  expect((await rest(forOrganization(plain, 'acme'), 'GET', '/auth/keys', admin)).status).toBe(404);
});
