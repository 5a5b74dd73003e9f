import { describe, expect, it } from 'vitest';
import { type AccountId, AuditEvent } from '../../src/database/tables.ts';
import { mostDetails } from '../../src/operations/changes.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const query = `query ($first: Int, $after: String, $last: Int, $before: String) {
  auditEvents(first: $first, after: $after, last: $last, before: $before) {
    edges { cursor node { id action targetId userId requestId address changes { field from to } createdAt } }
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

/** What each of them has changed, where the action does not say all. */
const changes = new Map([
  ['automation-settings-updated', [{ field: 'session_duration', from: null, to: 60 }]],
  ['api-key-deactivated', [{ field: 'is_active', from: true, to: false }]],
  ['api-key-rotated', [{ field: 'key_prefix', from: expect.any(String), to: expect.any(String) }]],
  ['default-api-key-set', [{ field: 'default_key_id', from: 1, to: 2 }]],
  ['api-key-renamed', [{ field: 'name', from: 'Laptop', to: 'Desk' }]],
]);

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
  it('all changes of the caller, newest first, and of nobody else', async () => {
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
      server: null,
      reason: null,
      on_user_id: null,
      actor_id: null,
      request_id: 'request-PUT',
      address: null,
      changes: [{ field: 'session_duration', from: null, to: 60 }],
      created_at: expect.stringMatching(/Z$/),
    });
  });

  it('each change has the values before and after, and no secret', async () => {
    await makeChanges();
    const { body, text } = await rest('/audit-events');
    const told = body.filter(({ action }: { action: string }) => action !== 'api-key-created');
    for (const event of told) expect(event.changes).toEqual(changes.get(event.action) ?? []);
    const made = body.filter(({ action }: { action: string }) => action === 'api-key-created');
    expect(made.map((event: { changes: unknown }) => event.changes)).toEqual([
      [],
      [{ field: 'name', from: null, to: 'Laptop' }],
    ]);
    expect(text).not.toMatch(/sk-[a-z0-9]{6}\.|[0-9a-f]{64}/);
  });

  it('GraphQL shows the same, and no changes for events from before they were recorded', async () => {
    await makeChanges();
    await setup.gateway.database.em
      .fork()
      .execute(
        'insert into audit_event (account_id, action, request, created_at) select account_id, action, request, created_at from audit_event where id = 1',
      );
    const nodes = (await graphql({ first: 5 })).body.data.auditEvents.edges.map(
      ({ node }: { node: object }) => node,
    );
    expect(nodes[0]).toMatchObject({ changes: [] });
    expect(nodes.slice(1)).toMatchObject(
      (await rest('/audit-events?limit=5')).body
        .slice(1)
        .map(({ changes: told }: { changes: unknown }) => ({ changes: told })),
    );
  });

  type CallAt = (index: number) => [method: string, path: string, json: object];

  it.each<[of: string, action: string, field: string, call: CallAt]>([
    [
      'settings',
      'automation-settings-updated',
      'session_duration',
      (index) => ['PUT', '/automation/settings', { session_duration: 100 + index }],
    ],
    [
      'the default key',
      'default-api-key-set',
      'default_key_id',
      (index) => ['PUT', `/auth/keys/${(index % 3) + 1}/default`, {}],
    ],
    ['a rotation', 'api-key-rotated', 'key_prefix', () => ['POST', '/auth/keys/1/rotate', {}]],
  ])(
    'several changes at once → each shows the value that it replaced: %s',
    async (_of, action, field, call) => {
      const token = await setup.sign();
      for (let count = 0; count < 3; count += 1)
        await setup.gateway.rest('POST', '/auth/keys', { token, json: {} });
      await setup.gateway.rest('PUT', '/automation/settings', { token, json: {} });
      const calls = Array.from({ length: 6 }, (_, index) => call(index));
      await Promise.all(
        calls.map(([method, path, json]) => setup.gateway.rest(method, path, { token, json })),
      );
      const { body } = await rest('/audit-events');
      interface Told {
        readonly action: string;
        readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
      }
      const steps = (body as Told[])
        .filter((event) => event.action === action)
        .map((event) => event.changes.find((change) => change.field === field))
        .toReversed();
      expect(steps.length).toBeGreaterThan(1);
      expect(steps.slice(1).map((step) => step?.from)).toEqual(steps.slice(0, -1).map((step) => step?.to));
    },
  );

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

  it.each(['carol', 'bob'])('a caller who changed nothing → an empty list: %s', async (subject) => {
    await setup.gateway.createAccount('bob');
    const before = await setup.stored();
    expect(await rest('/audit-events', subject)).toMatchObject({ status: 200, body: [] });
    expect(await setup.stored()).toEqual(before);
  });

  it('a call that changes nothing → no event', async () => {
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

/** The parts of a key, each as long as the limits allow and different for each letter. */
const heavyParts = (letter: string) => ({
  permissions: Array.from({ length: 25 }, (_, index) => `${letter}${index}`.padEnd(100, 'x')),
  metadata: { some: letter.repeat(1450) },
});

describe('a part of the trail', () => {
  const actionsOf = async (search: string) =>
    (await rest(`/audit-events?${search}`)).body.map(({ action, target_id: id }: Record<string, unknown>) => [
      action,
      id,
    ]);

  it.each<[string, (action: string, target: number | null) => boolean]>([
    ['key_id=1', (_, target) => target === 1],
    ['key_id=2', (_, target) => target === 2],
    ['action=api-key-created', (action) => action === 'api-key-created'],
    ['key_id=1&action=api-key-rotated', (action, target) => action === 'api-key-rotated' && target === 1],
    ['key_id=3', () => false],
    ['action=api-key-', () => false],
  ])('?%s → only these events, in order', async (search, isWanted) => {
    await makeChanges();
    const all = await actionsOf('');
    const wanted = all.filter(([action, target]: [string, number | null]) => isWanted(action, target));
    expect(await actionsOf(search)).toEqual(wanted);
    expect(wanted.length > 0).toBe(!/3|-$/.test(search));
  });

  it("of another person's key → nothing", async () => {
    await makeChanges();
    expect((await rest('/audit-events?key_id=1', 'bob')).body).toEqual([]);
  });

  it('of a key → no webhook endpoint with the same id', async () => {
    await makeChanges();
    const account = { account: 1 as AccountId, request: 'r', target: 1, createdAt: new Date() };
    await setup.gateway.database.em
      .fork()
      .insert(AuditEvent, { ...account, action: 'webhook-endpoint-created' });
    expect(await actionsOf('key_id=1')).not.toContainEqual(['webhook-endpoint-created', 1]);
    expect(await actionsOf('action=webhook-endpoint-created')).toHaveLength(1);
  });
});

describe('an event stays small', () => {
  const change = async (parts: object) => {
    const token = await setup.sign();
    expect((await setup.gateway.rest('PATCH', '/auth/keys/1', { token, json: parts })).status).toBe(200);
  };

  const lastRow = async () => (await setup.gateway.rows('audit_event')).at(-1);

  it('if all permissions and the metadata are replaced, and shows the new ones', async () => {
    await setup.gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json: heavyParts('a') });
    await change(heavyParts('b'));
    const [event] = (await rest('/audit-events?limit=1')).body;
    const cut = (letter: string) => {
      const json = JSON.stringify(heavyParts(letter).permissions);
      return { starts: json.slice(0, 160), bytes: json.length };
    };
    expect(event.changes).toEqual([
      { field: 'permissions', from: cut('a'), to: cut('b') },
      { field: 'metadata', from: null, to: null },
    ]);
  });

  it('if one of many permissions is replaced, and names it', async () => {
    const { permissions } = heavyParts('a');
    await setup.gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json: { permissions } });
    await change({ permissions: [...permissions.slice(1), 'documents.read'] });
    const [event] = (await rest('/audit-events?limit=1')).body;
    expect(event.changes).toEqual([
      { field: 'permissions', from: permissions.slice(0, 1), to: ['documents.read'] },
    ]);
  });

  it('if each member is replaced at its longest', async () => {
    const everything = (letter: string) => ({
      ...heavyParts(letter),
      metadata: { some: letter.repeat(200) },
      // JSON writes such a character with six.
      name: (letter + '\u{1}'.repeat(98)).padEnd(100, letter),
      allowed_addresses: Array.from({ length: 50 }, (_, index) => `2001:db8:${letter}:${index}::/64`),
      description: letter + '\u{1}'.repeat(498) + letter,
      rate_limit: { limit: 900_000 + letter.charCodeAt(0), window_seconds: 86_400 },
      quota: { limit: 900_000_000 + letter.charCodeAt(0), refill: 'monthly' },
      expires_at: `20${letter.charCodeAt(0)}-01-31T12:00:00.000Z`,
    });
    await setup.gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json: everything('a') });
    await change(everything('b'));
    const row = await lastRow();
    expect(Buffer.byteLength(`${row?.['details']}`)).toBeLessThanOrEqual(mostDetails);
    // SECURITY.md: one person's 2,000 changes a day have at most 1 GB in a year. The numbers and dates take 60 bytes.
    const texts = Object.values(row ?? {}).filter((value) => typeof value === 'string');
    const bytes = texts.reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      60 + 64 - `${row?.['request']}`.length,
    );
    expect(2000 * 365 * bytes).toBeLessThan(1e9);
  });

  it('and so does a page of events', async () => {
    await setup.gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json: heavyParts('a') });
    for (let count = 0; count < 100; count += 1) await change(heavyParts(count % 2 ? 'a' : 'b'));
    const page = await rest('/audit-events');
    expect(page.body).toHaveLength(100);
    expect(Buffer.byteLength(page.text)).toBeLessThan(100 * 1024);
  });
});

describe('422', () => {
  it.each([
    'key_id=x',
    `action=${'a'.repeat(101)}`,
    'limit=x',
    'limit=101',
    'limit=-1',
    'cursor=x',
    'cursor=',
    'limit=1&limit=2',
  ])('?%s → 422 for that parameter', async (search) => {
    const answer = await rest(`/audit-events?${search}`);
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', search.split('=')[0]] }] },
    });
  });
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
