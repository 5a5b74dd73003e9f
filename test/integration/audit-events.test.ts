import { describe, expect, it } from 'vitest';
import { describeAuthentication } from '../support/authentication-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const query = `query ($first: Int, $after: String, $last: Int, $before: String) {
  auditEvents(first: $first, after: $after, last: $last, before: $before) {
    edges { cursor node { id action targetId userId requestId address createdAt } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

const rest = async (path: string, sub = 'alice', headers = {}) =>
  setup.gateway.rest('GET', path, { token: await setup.sign({ sub }), headers });

const graphql = async (variables: object) =>
  setup.gateway.graphql(query, { token: await setup.sign(), variables });

/** One change of everything that can be changed, by alice, and one by bob in between. */
const makeChanges = async () => {
  const token = await setup.sign();
  const call = (method: string, path: string, json?: object) =>
    setup.gateway.rest(method, path, {
      token,
      ...(json && { json }),
      headers: { 'x-request-id': `request-${method}` },
    });
  await call('POST', '/auth/keys', { name: 'Laptop' });
  await call('POST', '/auth/keys', {});
  await setup.gateway.rest('PUT', '/automation/settings', {
    token: await setup.sign({ sub: 'bob' }),
    json: { is_enabled: true },
  });
  await call('PATCH', '/auth/keys/1', { name: 'Desk' });
  await call('PUT', '/auth/keys/2/default');
  await call('POST', '/auth/keys/1/rotate', {});
  await call('DELETE', '/auth/keys/1');
  await call('POST', '/auth/private-key', { private_key: '1'.padStart(64, '0') });
  await call('DELETE', '/auth/private-key');
  await call('PUT', '/automation/settings', { session_duration: 60 });
};

const actions = [
  ['automation-settings-updated', null],
  ['private-key-removed', null],
  ['private-key-registered', null],
  ['api-key-deactivated', 1],
  ['api-key-rotated', 1],
  ['default-api-key-set', 2],
  ['api-key-renamed', 1],
  ['api-key-created', 2],
  ['api-key-created', 1],
  ['account-created', null],
];

describe('200 over REST', () => {
  it('answers all that the caller has changed, newest first, and nobody else has', async () => {
    await makeChanges();
    const { status, body } = await rest('/audit-events');
    expect(status).toBe(200);
    expect(body.map((event: Record<string, unknown>) => [event['action'], event['target_id']])).toEqual(
      actions,
    );
    expect(body[0]).toEqual({
      id: expect.any(Number),
      action: 'automation-settings-updated',
      target_id: null,
      user_id: 1,
      actor: 'self',
      reason: null,
      on_user_id: null,
      request_id: 'request-PUT',
      address: null,
      changes: [{ field: 'session_duration', from: null, to: 60 }],
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it('follows the links to the end', async () => {
    await makeChanges();
    const whole = (await rest('/audit-events')).body;
    const pages: unknown[] = [];
    let path: string | undefined = '/audit-events?limit=3';
    while (path) {
      const answer = await rest(path);
      expect(answer.body.length).toBeLessThanOrEqual(3);
      pages.push(...answer.body);
      path = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    expect(pages).toEqual(whole);
  });

  it.each(['carol', 'bob'])('answers an empty list to whoever changed nothing: %s', async (subject) => {
    await setup.gateway.createAccount('bob');
    const before = await setup.stored();
    expect(await rest('/audit-events', subject)).toMatchObject({ status: 200, body: [] });
    expect(await setup.stored()).toEqual(before);
  });

  it('does not write down what changed nothing', async () => {
    await makeChanges();
    const before = (await rest('/audit-events')).body;
    const token = await setup.sign();
    await setup.gateway.rest('DELETE', '/auth/keys/1', { token });
    await setup.gateway.rest('DELETE', '/auth/private-key', { token });
    await setup.gateway.rest('PUT', '/automation/settings', { token, json: {} });
    expect((await rest('/audit-events')).body).toEqual(before);
  });
});

describe('200 over GraphQL', () => {
  it('answers pages forwards and backwards', async () => {
    await makeChanges();
    const whole = (await graphql({})).body.data.auditEvents;
    expect(whole.edges.map(({ node }: { node: { action: string } }) => node.action)).toEqual(
      actions.map(([action]) => action),
    );
    const first = (await graphql({ first: 4 })).body.data.auditEvents;
    expect(first.edges).toEqual(whole.edges.slice(0, 4));
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = (await graphql({ first: 4, after: first.pageInfo.endCursor })).body.data.auditEvents;
    expect(second.edges).toEqual(whole.edges.slice(4, 8));
    const back = (await graphql({ last: 4, before: second.pageInfo.startCursor })).body.data.auditEvents;
    expect(back.edges).toEqual(first.edges);
  });
});

describe('422', () => {
  it.each(['limit=x', 'limit=101', 'limit=-1', 'cursor=x', 'cursor=', 'limit=1&limit=2'])(
    'is said of %s',
    async (search) => {
      const answer = await rest(`/audit-events?${search}`);
      expect(answer).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['query', search.split('=')[0]] }] },
      });
    },
  );
});

describe('the database', () => {
  it.each(["update audit_event set action = 'x'", 'delete from audit_event'])(
    'refuses: %s',
    async (statement) => {
      await makeChanges();
      await expect(setup.gateway.database.em.fork().execute(statement)).rejects.toThrow(/never/);
      expect((await rest('/audit-events')).body).toHaveLength(actions.length);
    },
  );
});

describeAuthentication(setup, {
  rest: ['GET', '/audit-events'],
  query: '{ auditEvents { edges { node { id } } } }',
  scopes: ['openid', 'email', 'profile'],
});
