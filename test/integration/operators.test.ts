import { beforeEach, describe, expect, it } from 'vitest';
import { scopeDescriptions } from '../../src/auth/scopes.ts';
import { routes } from '../../src/rest/routes.ts';
import { createTestGateway } from '../support/gateway.ts';
import { createPeople } from '../support/operators.ts';
import { recordStatements } from '../support/record-statements.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { callGraphql, callRest, exampleOf, operations, queries, scopesOf } from '../support/two-sides.ts';

const setup = setUpGateway();

const forOperators = operations.filter((operation) => scopesOf(operation).includes('keyward.admin'));

/** What auditors may do as well; only operators need not have the scope for it. */
const forAuditors = operations.filter((operation) => scopesOf(operation).includes('keyward.audit'));

it('only operations of operators and auditors have routes below /admin', () => {
  const below = operations.filter((operation) => routes[operation].path.startsWith('/admin/'));
  // The provider's servers say what accounts may have, and operators may as well.
  const forServers = operations.filter((operation) =>
    scopesOf(operation).some((scope) => scope === 'accounts.entitle' || scope === 'accounts.act'),
  );
  expect(forServers).toEqual(['ensureAccount', 'entitlement', 'setEntitlement', 'setEntitlementBySubject']);
  expect(forAuditors).toEqual(['auditTrail']);
  const others: readonly string[] = [...forServers, ...forAuditors];
  expect(forOperators).toEqual(below.filter((operation) => !others.includes(operation)));
  expect(forOperators).toHaveLength(23);
});

const others = Object.keys(scopeDescriptions).filter((scope) => scope !== 'keyward.admin');

/** Every token but an operator's. */
const tokens: [name: string, status: number, token: () => Promise<string | undefined>][] = [
  ['no token', 401, async () => undefined],
  ['no JWT', 401, async () => 'token'],
  [
    'a forged token',
    401,
    async () => `${(await setup.sign({ scope: 'keyward.admin' })).slice(0, -8)}AAAAAAAA`,
  ],
  [
    'one that has expired',
    401,
    () => setup.sign({ scope: 'keyward.admin', exp: Math.floor(Date.now() / 1000) - 62 }),
  ],
  ['one for another audience', 401, () => setup.sign({ scope: 'keyward.admin', aud: 'another' })],
  ['one of another issuer', 401, () => setup.sign({ scope: 'keyward.admin', iss: 'https://id.example.com' })],
  ['one without scopes', 403, () => setup.sign({ scope: '' })],
  ['one with all other scopes', 403, () => setup.sign({ scope: others.join(' ') })],
  ...others.map(
    (scope) =>
      [`one with ${scope}`, 403, () => setup.sign({ scope })] as [string, number, () => Promise<string>],
  ),
  ...['keyward', 'keyward.admins', 'KEYWARD.ADMIN', 'keyward.admin,', 'admin', 'keyward.*'].map(
    (scope) =>
      [`one with ${scope}`, 403, () => setup.sign({ scope: `${others.join(' ')} ${scope}` })] as [
        string,
        number,
        () => Promise<string>,
      ],
  ),
];

describe.each([
  ['REST', callRest],
  ['GraphQL', callGraphql],
] as const)('over %s', (transport, send) => {
  beforeEach(() => createPeople(setup));

  it.each(tokens)(
    '%s → refused without any data, and the database is not asked',
    async (_name, status, token) => {
      const before = await setup.stored();
      for (const operation of forOperators) {
        const given = await token();
        const answers: string[] = [];
        const { sql } = await recordStatements(setup.gateway.database, async () => {
          const answer = await send(setup.gateway, exampleOf(operation), given);
          expect(answer.status, operation).toBe(status);
          answers.push(answer.text);
        });
        expect(sql).toEqual([]);
        expect(answers.join()).not.toMatch(/bob|carol|sk-|"id"/);
      }
      expect(await setup.stored()).toEqual(before);
    },
  );

  it("a document with an operator's field and one's own → refused as a whole", async () => {
    if (transport === 'REST') return expect(forOperators.length).toBeGreaterThan(0);
    const answer = await setup.gateway.graphql(
      '{ apiKeys { edges { node { id } } } account(id: 1) { subject } }',
      {
        token: await setup.sign(),
      },
    );
    expect(answer).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } });
    expect(answer.body.data).toBeUndefined();
  });
});

describe('with an alias of the scope', () => {
  const aliased = setUpGateway();

  it('AUTH_SCOPE_ALIASES lets an operator in', async () => {
    const { config } = aliased.issuer;
    (config.scopeAliases as Map<string, string[]>).set('provider/operate', ['keyward.admin']);
    const token = await aliased.sign({ scope: 'provider/operate' });
    expect((await aliased.gateway.rest('GET', '/admin/accounts', { token })).status).toBe(200);
  });
});

describe('with ADMIN=off', () => {
  const off = setUpGateway({ operators: false });
  const operator = () => off.sign({ scope: [...others, 'keyward.admin'].join(' ') });

  it.each([...forOperators, ...forAuditors])('%s → unknown', async (operation) => {
    const token = await operator();
    const rest = await callRest(off.gateway, exampleOf(operation), token);
    // The path of the list has an operation for servers.
    const [status, detail] = operation === 'accounts' ? [405, 'Method Not Allowed'] : [404, 'Not Found'];
    expect(rest).toMatchObject({ status, text: JSON.stringify({ detail }) });
    const graphql = await off.gateway.graphql(queries[operation] ?? '', { token });
    expect(graphql.status).toBe(400);
    expect(graphql.body.errors[0].message).toMatch(/^Cannot query field|^Unknown type/);
  });

  it("the descriptions are the published ones, without operators' operations", async () => {
    const { body: full } = await setup.gateway.rest('GET', '/openapi.json');
    const { body } = await off.gateway.rest('GET', '/openapi.json');
    const paths = Object.keys(full.paths);
    expect(Object.keys(body.paths)).toEqual(
      paths.filter((path) => !path.startsWith('/api/v1/admin/') || /\/(accounts|entitlements?)$/.test(path)),
    );
    // Operators need no other scope for their own trail.
    const { get } = full.paths['/api/v1/audit-events'];
    expect(get.security).toContainEqual({ BearerToken: ['keyward.admin'] });
    get.security = get.security.filter((each: object) => !JSON.stringify(each).includes('keyward.admin'));
    // The list at its path, with its preconditions, is one of operators.
    delete full.paths['/api/v1/admin/accounts'].get;
    delete full.paths['/api/v1/admin/accounts'].put.responses[412];
    for (const [path, described] of Object.entries(body.paths)) expect(described).toEqual(full.paths[path]);
    expect(JSON.stringify(body)).not.toMatch(
      /keyward\.a|Operators|AuditTrail|"Account"|FoundApiKey|WebhookEndpoint|WebhookDelivery/,
    );
    expect(JSON.stringify(full)).toMatch(/keyward\.admin.*|Operators/);
    const introspected = await off.gateway.graphql('{ __schema { types { name } } }', {
      token: await operator(),
    });
    const names = introspected.body.data.__schema.types.map(({ name }: { name: string }) => name);
    expect(names).toContain('ApiKey');
    expect(
      names.filter((name: string) =>
        /^(Account(?!Reference)|AuditTrail|FoundApiKey|NewWebhook|Webhook)/.test(name),
      ),
    ).toEqual([]);
    const metadata = await off.gateway.fetch('GET', '/.well-known/oauth-protected-resource');
    expect(metadata.body.scopes_supported.toSorted()).toEqual(
      others.filter((scope) => scope !== 'keyward.audit').toSorted(),
    );
  });

  it('a block still applies, and keys are refused', async () => {
    const bob = await off.gateway.createAccount('bob');
    await off.gateway.database.em
      .fork()
      .execute(`update account set blocked_at = ${Date.now()} where id = ${bob}`)
      .catch(async () =>
        off.gateway.database.em.fork().execute(`update account set blocked_at = now() where id = ${bob}`),
      );
    const answer = await off.gateway.rest('GET', '/auth/keys', { token: await off.sign({ sub: 'bob' }) });
    expect(answer.status).toBe(403);
  });
});

it('with ADMIN=off, keyward.admin does not open the audit trail', async () => {
  await using gateway = await createTestGateway(setup.issuer, { operators: false });
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  expect((await gateway.rest('GET', '/audit-events', { token })).status).toBe(403);
});

describe("the operator's own audit trail", () => {
  it('opens with keyward.admin alone; all other own operations need more', async () => {
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const { bob } = await createPeople(setup);
    const json = { reason: 'x' };
    expect(
      (await setup.gateway.rest('POST', `/admin/accounts/${bob.id}/block`, { token, json })).status,
    ).toBe(200);
    const rest = await setup.gateway.rest('GET', '/audit-events', { token });
    expect(rest).toMatchObject({
      status: 200,
      body: [{ action: 'account-blocked', on_user_id: bob.id }, { action: 'account-created' }],
    });
    const query = '{ auditEvents { edges { node { action onUserId } } } }';
    const graphql = await setup.gateway.graphql(query, { token });
    expect(graphql.body.data.auditEvents.edges).toEqual([
      { node: { action: 'account-blocked', onUserId: bob.id } },
      { node: { action: 'account-created', onUserId: null } },
    ]);
    // Beside what needs more, it is not enough.
    const more = await setup.gateway.graphql(
      '{ auditEvents { edges { node { id } } } apiKeys { edges { node { id } } } }',
      { token },
    );
    expect(more.body.errors[0].extensions.code).toBe('FORBIDDEN');
    for (const path of ['/auth/keys', '/auth/private-key', '/automation/settings', '/auth/entitlement'])
      expect((await setup.gateway.rest('GET', path, { token })).status, path).toBe(403);
  });

  it('other scopes alone → 403', async () => {
    for (const scope of ['keyward.audit', 'keys.verify', 'accounts.entitle', 'openid email', '']) {
      const token = await setup.sign({ sub: 'olivia', scope });
      expect((await setup.gateway.rest('GET', '/audit-events', { token })).status, scope).toBe(403);
    }
  });
});
