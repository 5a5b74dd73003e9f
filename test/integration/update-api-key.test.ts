import { describe, expect, it, vi } from 'vitest';
import { beforeDatabase } from '../support/before-database.ts';
import { setClocks } from '../support/database-clock.ts';
import { createTestGateway } from '../support/gateway.ts';
import {
  createApiKeys,
  describeAudit,
  describeKeyId,
  everything,
  everythingTold,
  noParts,
  partsSelection,
} from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { transportsOf } from '../support/transports.ts';

const setup = setUpGateway();

const operation = {
  field: 'updateApiKey',
  rest: ['PATCH', '/auth/keys/{key_id}'],
  query: `mutation (
    $keyId: Int!, $name: String, $description: String, $permissions: [String!], $metadata: JSONObject, $allowedAddresses: [String!],
    $rateLimit: ApiKeyRateLimitInput, $quota: ApiKeyQuotaInput, $expiresAt: DateTime
  ) { updateApiKey(
    keyId: $keyId, name: $name, description: $description, permissions: $permissions, metadata: $metadata, allowedAddresses: $allowedAddresses,
    rateLimit: $rateLimit, quota: $quota, expiresAt: $expiresAt
  ) {
    id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion
    expiresAt deactivatedAt previousWorksUntil lastUsedAt ${partsSelection} } }`,
  input: { permissions: ['documents.read'] },
} as const;

const create = {
  field: 'createApiKey',
  rest: ['POST', '/auth/keys'],
  query: operation.query
    .replace('$keyId: Int!, ', '')
    .replace('keyId: $keyId, ', '')
    .replace('updateApiKey', 'createApiKey')
    .replace(/(?=\{\s+id key)/, '{ apiKey ')
    .replace(/$/, ' }'),
} as const;

const transports = transportsOf(setup, operation);

/** Both ways to say what a key may do: to make it, and to change it. */
const ways = [
  ...transportsOf(setup, create).map(([name, call]) => [`createApiKey over ${name}`, call, {}] as const),
  ...transports.map(([name, call]) => [`updateApiKey over ${name}`, call, { keyId: 1 }] as const),
];

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `documents.d${index}`);

/** A change as the audit trail answers it. */
interface Change {
  readonly from: unknown;
  readonly to: unknown;
}

/** What the newest audit event says of what was changed. */
const newestChanges = async () => {
  const [event] = (await setup.gateway.rest('GET', '/audit-events?limit=1', { token: await setup.sign() }))
    .body;
  return [event.action, event.changes];
};

/** Permissions, addresses and metadata that have so many bytes together, as JSON. */
const together = (bytes: number) => {
  const permissions = Array.from({ length: 30 }, (_, index) => `documents.${index}.`.padEnd(95, 'x'));
  const allowedAddresses = ['192.0.2.0/24'];
  const rest = bytes - JSON.stringify(permissions).length - JSON.stringify(allowedAddresses).length;
  return { permissions, allowedAddresses, metadata: { note: 'y'.repeat(rest - '{"note":""}'.length) } };
};

describe.each(ways)('%s', (_way, call, given) => {
  it('takes permissions, addresses and metadata of 4096 bytes together, and no more', async () => {
    await createApiKeys(setup);
    expect((await call({ ...given, ...together(4096) })).code).toBe('OK');
    const before = await setup.stored();
    const { code, issues } = await call({ ...given, ...together(4097) });
    expect([code, issues?.map(([, type]) => type)]).toEqual(['BAD_USER_INPUT', ['too_long']]);
    expect(await setup.stored()).toEqual(before);
  });

  it('takes all that a key can be told, and a read answers it', async () => {
    await createApiKeys(setup);
    const { data } = await call({ ...given, ...everything });
    expect(data).toMatchObject(everythingTold);
    const read = await setup.gateway.rest('GET', `/auth/keys/${data.id}`, { token: await setup.sign() });
    expect(read.body).toMatchObject(everythingTold);
    const list = await setup.gateway.rest('GET', '/auth/keys', { token: await setup.sign() });
    expect(list.body).toContainEqual(read.body);
  });

  it.each<[part: string, given: unknown, told?: unknown]>([
    ['description', 'a'],
    ['description', '  Line\r\nand line\t', 'Line\r\nand line'],
    ['description', '😀'.repeat(500)],
    ['permissions', []],
    ['permissions', ['*']],
    ['permissions', ['a'.repeat(100)]],
    ['permissions', namesOf(50)],
    ['metadata', {}],
    ['metadata', JSON.parse('{"__proto__":{"constructor":1},"toString":2}')],
    ['metadata', { a: 'x'.repeat(2040) }],
    ['metadata', { a: 'é'.repeat(1020) }],
    ['metadata', Object.fromEntries(namesOf(50).map((name) => [name, 0]))],
    ['metadata', { a: 2 ** 53, b: -0.5, c: 1e300, d: false, e: null }],
    ['metadata', JSON.parse(`{"a":${'['.repeat(31)}${']'.repeat(31)}}`)],
    ['allowedAddresses', ['0.0.0.0/0', '::/0']],
    ['allowedAddresses', ['::1']],
    ['allowedAddresses', namesOf(50).map((_, index) => `10.0.0.${index}`)],
    ['rateLimit', { limit: 1, windowSeconds: 1 }, { limit: 1, window_seconds: 1 }],
    ['rateLimit', { limit: 1e6, windowSeconds: 86_400 }, { limit: 1e6, window_seconds: 86_400 }],
    ['quota', { limit: 0, refill: 'NEVER' }, { limit: 0, refill: 'never', remaining: 0, refills_at: null }],
    [
      'quota',
      { limit: 1e9, refill: 'NEVER' },
      { limit: 1e9, refill: 'never', remaining: 1e9, refills_at: null },
    ],
  ])('takes %s as %j', async (part, value, told = value) => {
    await createApiKeys(setup);
    const { code, data } = await call({ ...given, [part]: value });
    expect(code).toBe('OK');
    const name = part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(JSON.stringify(data[name])).toBe(JSON.stringify(told));
  });
});

describe.each(transports)('a name over %s', (transport, update) => {
  it.each([
    ['Desk', 'Desk'],
    ['  Desk\t', 'Desk'],
    [null, null],
    ['a', 'a'],
    ['😀'.repeat(100), '😀'.repeat(100)],
    ['Laptop', 'Laptop'],
  ])('%j becomes %j, and nothing else changes', async (name, expected) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    expect(await update({ keyId: 1, name })).toMatchObject({ status: 200, data: { id: 1, name: expected } });
    const { api_key: keys = [], audit_event: _events, ...others } = await setup.stored();
    const { api_key: [first, ...otherKeys] = [], audit_event: _none, ...othersBefore } = before;
    expect(keys).toEqual([{ ...first, name: expected }, ...otherKeys]);
    expect(others).toEqual(othersBefore);
  });

  it('stands in the audit trail and not in the log', async () => {
    await createApiKeys(setup);
    await update({ keyId: 2, name: 'canary7f3a' });
    const details = '[{"field":"name","from":null,"to":"canary7f3a"}]';
    const event = { account_id: 1, action: 'api-key-renamed', target: 2, details };
    expect(await setup.gateway.rows('audit_event')).toMatchObject([event]);
    const logged = setup.gateway.log().filter((line) => line['event']);
    expect(logged).toMatchObject([{ event: 'api-key-renamed', accountId: 1, keyId: 2 }]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain('canary7f3a');
  });

  it.each<[unknown, string]>([
    ['', 'string_too_short'],
    [' \r\n ', 'string_too_short'],
    ['a'.repeat(101), 'string_too_long'],
    ['a\u0000', 'value_error'],
    ['\udc00', 'string_unicode'],
    [7, 'string_type'],
    [['Desk'], 'string_type'],
  ])('%j is refused: %s', async (name, type) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const status = transport === 'GraphQL' && type === 'string_type' ? 400 : 422;
    expect(await update({ keyId: 1, name })).toEqual({
      status,
      code: 'BAD_USER_INPUT',
      issues: [['name', type]],
    });
    expect(await setup.stored()).toEqual(before);
  });
});

beforeDatabase(() => {
  describe.each(ways)('%s', (_way, call, given) => {
    it.each<[object, string, string]>([
      [{ description: '' }, 'description', 'string_too_short'],
      [{ description: ' \n' }, 'description', 'string_too_short'],
      [{ description: 'a'.repeat(501) }, 'description', 'string_too_long'],
      [{ description: 'a\0' }, 'description', 'value_error'],
      [{ description: '\udc00' }, 'description', 'string_unicode'],
      [{ permissions: namesOf(51) }, 'permissions', 'too_long'],
      [{ permissions: ['a'.repeat(101)] }, '0', 'string_pattern_mismatch'],
      [{ permissions: ['a', ''] }, '1', 'string_pattern_mismatch'],
      [{ permissions: ['Documents.read'] }, '0', 'string_pattern_mismatch'],
      [{ permissions: ['documents read'] }, '0', 'string_pattern_mismatch'],
      [{ permissions: ['ä'] }, '0', 'string_pattern_mismatch'],
      [{ permissions: ['a\n'] }, '0', 'string_pattern_mismatch'],
      [{ permissions: ['a', 'b', 'a'] }, 'permissions', 'value_error'],
      [{ permissions: [null] }, '0', 'string_type'],
      [{ permissions: ['a', 7] }, '1', 'string_type'],
      [{ permissions: { 0: 'a' } }, 'permissions', 'list_type'],
      [{ metadata: { a: 'x'.repeat(2041) } }, 'metadata', 'too_long'],
      [{ metadata: { a: 'é'.repeat(1021) } }, 'metadata', 'too_long'],
      [{ metadata: Object.fromEntries(namesOf(51).map((name) => [name, 0])) }, 'metadata', 'too_long'],
      [{ metadata: [] }, 'metadata', 'dict_type'],
      [{ metadata: 'plan' }, 'metadata', 'dict_type'],
      [{ metadata: { a: [{ b: '\0' }] } }, 'metadata', 'value_error'],
      [{ metadata: { '\0': 1 } }, 'metadata', 'value_error'],
      [{ metadata: { a: '\ud800' } }, 'metadata', 'string_unicode'],
      [{ metadata: { a: { '\udc00': 1 } } }, 'metadata', 'string_unicode'],
      [{ metadata: JSON.parse(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`) }, 'metadata', 'value_error'],
      [{ allowedAddresses: ['10.0.0.0/33'] }, '0', 'value_error'],
      [{ allowedAddresses: ['::1/129'] }, '0', 'value_error'],
      [{ allowedAddresses: ['10.0.0.1', '10.0.0'] }, '1', 'value_error'],
      [{ allowedAddresses: ['010.0.0.1'] }, '0', 'value_error'],
      [{ allowedAddresses: ['10.0.0.1/'] }, '0', 'value_error'],
      [{ allowedAddresses: ['10.0.0.1/8/8'] }, '0', 'value_error'],
      [{ allowedAddresses: ['fe80::1%eth0'] }, '0', 'value_error'],
      [{ allowedAddresses: ['loopback'] }, '0', 'value_error'],
      [{ allowedAddresses: ['example.com'] }, '0', 'value_error'],
      [{ allowedAddresses: [' 10.0.0.1'] }, '0', 'value_error'],
      [{ allowedAddresses: ['::1', '::1'] }, 'allowed_addresses', 'value_error'],
      [
        { allowedAddresses: namesOf(51).map((_, index) => `10.0.0.${index}`) },
        'allowed_addresses',
        'too_long',
      ],
      [{ rateLimit: { limit: 0, windowSeconds: 60 } }, 'limit', 'greater_than_equal'],
      [{ rateLimit: { limit: -1, windowSeconds: 60 } }, 'limit', 'greater_than_equal'],
      [{ rateLimit: { limit: 1_000_001, windowSeconds: 60 } }, 'limit', 'less_than_equal'],
      [{ rateLimit: { limit: 1, windowSeconds: 0 } }, 'window_seconds', 'greater_than_equal'],
      [{ rateLimit: { limit: 1, windowSeconds: 86_401 } }, 'window_seconds', 'less_than_equal'],
      [{ rateLimit: { limit: 2 ** 31, windowSeconds: 60 } }, 'limit', 'int_parsing_size'],
      [{ rateLimit: { limit: 1.5, windowSeconds: 60 } }, 'limit', 'int_from_float'],
      [{ rateLimit: { limit: '1', windowSeconds: 60 } }, 'limit', 'int_type'],
      [{ rateLimit: { limit: 1 } }, 'window_seconds', 'missing'],
      [{ rateLimit: { limit: 1, windowSeconds: null } }, 'window_seconds', 'int_type'],
      [{ rateLimit: { limit: 1, windowSeconds: 60, burst: 5 } }, 'burst', 'extra_forbidden'],
      [{ rateLimit: 7 }, 'rate_limit', 'dict_type'],
      [{ rateLimit: [] }, 'rate_limit', 'dict_type'],
      [{ quota: { limit: -1, refill: 'NEVER' } }, 'limit', 'greater_than_equal'],
      [{ quota: { limit: 1_000_000_001, refill: 'NEVER' } }, 'limit', 'less_than_equal'],
      [{ quota: { limit: 2 ** 31, refill: 'NEVER' } }, 'limit', 'int_parsing_size'],
      [{ quota: { limit: 1 } }, 'refill', 'missing'],
      [{ quota: { limit: 1, refill: 'HOURLY' } }, 'refill', 'enum'],
      [{ quota: { limit: 1, refill: 7 } }, 'refill', 'enum'],
      [{ expiresAt: '2020-01-31T12:00:00Z' }, 'expires_at', 'datetime_future'],
    ])('does not take %j: %s %s', async (input, place, type) => {
      await createApiKeys(setup);
      const before = await setup.stored();
      const outcome = await call({ ...given, ...input });
      expect(outcome).toMatchObject({ code: 'BAD_USER_INPUT', issues: [[place, type]] });
      expect(await setup.stored()).toEqual(before);
    });
  });
});

describe('metadata that is nested without an end', () => {
  const nested = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;

  it.each([
    ['POST', '/api/v1/auth/keys', `{"metadata":${nested}}`, 422],
    ['PATCH', '/api/v1/auth/keys/1', `{"metadata":${nested}}`, 422],
    [
      ...['POST', '/graphql'],
      `{"query":"mutation ($m: JSONObject) { createApiKey(metadata: $m) { key } }","variables":{"m":${nested}}}`,
      400,
    ],
  ] as [string, string, string, number][])('is refused: %s %s', async (method, path, body, status) => {
    await createApiKeys(setup);
    const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
    const answer = await setup.gateway.fetch(method, path, { token: await setup.sign(), headers, body });
    expect(answer.status).toBe(status);
    expect(answer.text).toContain('Must be nested at most 32 deep.');
  });
});

describe.each(transports)('success over %s', (_transport, update) => {
  it('leaves what is left out, and clears what is null', async () => {
    await createApiKeys(setup);
    await update({ keyId: 1, ...everything });
    const before = await setup.stored();
    const parts = Object.keys(everything);
    const cleared: Record<string, unknown> = { ...everythingTold };
    const empty: Record<string, unknown> = { ...noParts, name: null, expires_at: null };
    for (const part of parts) {
      const { data } = await update({ keyId: 1, [part]: null });
      const name = part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      cleared[name] = empty[name];
      expect(data).toMatchObject(cleared);
    }
    const { api_key: [first, ...others] = [], api_key_quota: quotas } = await setup.stored();
    const { api_key: [, ...othersBefore] = [] } = before;
    expect(first).toMatchObject({
      description: null,
      permissions: null,
      metadata: null,
      allowed_addresses: null,
      rate_limit: null,
    });
    expect(others).toEqual(othersBefore);
    expect(quotas).toMatchObject([{ api_key_id: 1, units: null }]);
  });

  it('clears permissions and addresses by an empty list too', async () => {
    await createApiKeys(setup);
    await update({ keyId: 1, ...everything });
    const { data } = await update({ keyId: 1, permissions: [], allowedAddresses: [] });
    expect(data).toMatchObject({ permissions: [], allowed_addresses: [], name: 'Desk' });
    const [stored] = await setup.gateway.rows('api_key');
    expect(stored).toMatchObject({ permissions: null, allowed_addresses: null });
  });

  it('writes nothing where nothing is other than it was', async () => {
    await createApiKeys(setup);
    const changed = await update({ keyId: 1, ...everything });
    const before = await setup.stored();
    for (const input of [{}, everything, { quota: everything.quota }, { name: ' Desk ' }])
      expect(await update({ keyId: 1, ...input })).toEqual({ ...changed, status: 200 });
    expect(await setup.stored()).toEqual(before);
  });

  it('says in the audit trail what was changed, from what to what', async () => {
    await createApiKeys(setup);
    await update({ keyId: 1, ...everything });
    expect(await newestChanges()).toEqual([
      'api-key-updated',
      [
        { field: 'name', from: 'Laptop', to: 'Desk' },
        { field: 'description', from: null, to: everything.description },
        { field: 'permissions', from: [], to: everything.permissions },
        // It may be about anybody, and the trail is kept for ever.
        { field: 'metadata', from: null, to: null },
        { field: 'allowed_addresses', from: [], to: everything.allowedAddresses },
        { field: 'rate_limit', from: null, to: { limit: 100, window_seconds: 60 } },
        { field: 'expires_at', from: null, to: everything.expiresAt },
        { field: 'quota', from: null, to: { limit: 10, refill: 'monthly' } },
      ],
    ]);
    await update({ keyId: 1, rateLimit: null, quota: { limit: 10, refill: 'DAILY' } });
    expect(await newestChanges()).toEqual([
      'api-key-updated',
      [
        { field: 'rate_limit', from: { limit: 100, window_seconds: 60 }, to: null },
        { field: 'quota', from: { limit: 10, refill: 'monthly' }, to: { limit: 10, refill: 'daily' } },
      ],
    ]);
    await update({ keyId: 1, name: null });
    expect(await newestChanges()).toEqual(['api-key-renamed', [{ field: 'name', from: 'Desk', to: null }]]);
    expect(JSON.stringify(setup.gateway.log())).not.toContain('theirOwn');
  });

  it('moves the end of a key, earlier and later', async () => {
    await createApiKeys(setup);
    for (const expiresAt of [
      '2090-01-01T00:00:00.000Z',
      '2080-01-01T00:00:00.000Z',
      '2095-01-01T00:00:00.000Z',
    ])
      expect((await update({ keyId: 1, expiresAt })).data.expires_at).toBe(expiresAt);
  });
});

describe.each(transports)('a quota over %s', (_transport, update) => {
  const stored = async () => (await setup.gateway.rows('api_key_quota'))[0];

  /** Uses of the quota, as the node that counts them writes it. */
  const take = (units: number) =>
    setup.gateway.database.em.fork().execute(`update api_key_quota set taken = ${units}`);

  const ofLimit = (limit: number, refill = 'DAILY') => ({ keyId: 1, quota: { limit, refill } });

  /** Takes a time as that of all clocks. */
  const inTime = async (test: () => Promise<void>) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await setClocks(setup.gateway.database, '2026-12-30T23:59:59.999Z');
    await createApiKeys(setup);
    await test().finally(() => vi.useRealTimers());
  };

  it('keeps what was used, whatever it becomes within its period', () =>
    inTime(async () => {
      const refillsAt = '2026-12-31T00:00:00.000Z';
      expect((await update(ofLimit(3))).data.quota).toMatchObject({ remaining: 3, refills_at: refillsAt });
      await take(3);
      const first = await stored();
      for (const [limit, remaining] of [
        [10_000, 9997],
        [3, 0],
        [2, 0],
        [4, 1],
      ] as const)
        expect((await update(ofLimit(limit))).data.quota).toEqual({
          ...ofLimit(limit).quota,
          refill: expect.stringMatching(/^daily$/i),
          remaining,
          refills_at: refillsAt,
        });
      expect((await update({ keyId: 1, quota: null })).data.quota).toBeNull();
      expect((await update(ofLimit(3))).data.quota).toMatchObject({ remaining: 0, refills_at: refillsAt });
      expect(await stored()).toEqual(first);
    }));

  it('ends its period by the new terms when it refills at other times', () =>
    inTime(async () => {
      await update(ofLimit(3));
      await take(2);
      const { data } = await update(ofLimit(3, 'MONTHLY'));
      expect(data.quota).toMatchObject({ remaining: 1, refills_at: '2027-01-01T00:00:00.000Z' });
      const never = await update(ofLimit(3, 'NEVER'));
      expect(never.data.quota).toMatchObject({ remaining: 1, refills_at: null });
    }));

  it('is full when its period has ended meanwhile', () =>
    inTime(async () => {
      await update(ofLimit(3));
      await take(3);
      const first = await stored();
      await setClocks(setup.gateway.database, '2026-12-31T12:00:00.000Z');
      const { data } = await update(ofLimit(4));
      expect(data.quota).toMatchObject({ remaining: 4, refills_at: '2027-01-01T00:00:00.000Z' });
      // A lease of the former period is worth nothing.
      expect(await stored()).toMatchObject({ taken: 0, generation: Number(first?.['generation']) + 1 });
    }));

  it('is what another change has made of it, where both come at once', async () => {
    await createApiKeys(setup);
    const limits = [1, 2, 3, 4, 5];
    await Promise.all(limits.map((limit) => update({ keyId: 1, quota: { limit, refill: 'NEVER' } })));
    const events = (await setup.gateway.rest('GET', '/audit-events', { token: await setup.sign() })).body;
    // Each is from what the one before has made.
    const steps: Change[] = events.toReversed().map(({ changes: [change] }: { changes: Change[] }) => change);
    expect(steps.map(({ from }) => from)).toEqual([null, ...steps.slice(0, -1).map(({ to }) => to)]);
    expect(steps).toHaveLength(limits.length);
    const { units } = (await stored()) ?? {};
    expect(steps.at(-1)?.to).toEqual({ limit: units, refill: 'never' });
  });
});

describe.each(transports)('changes at once over %s', (_transport, update) => {
  it('each replace what the trail says', async () => {
    await createApiKeys(setup);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => update({ keyId: 1, name })));
    const events = (await setup.gateway.rest('GET', '/audit-events', { token: await setup.sign() })).body;
    const steps: Change[] = events.toReversed().map(({ changes: [change] }: { changes: Change[] }) => change);
    expect(steps.map(({ from }) => from)).toEqual(['Laptop', ...steps.slice(0, -1).map(({ to }) => to)]);
    expect(steps.map(({ to }) => to).toSorted()).toEqual(names);
  });
});

describe.each(transports)('a key that cannot be used, over %s', (_transport, update) => {
  it.each([
    ['API key is inactive', { isActive: false, deactivatedAt: new Date('2026-02-01T00:00:00Z') }],
    ['API key has expired', { expiresAt: new Date('2026-02-01T00:00:00Z') }],
  ])('takes another name and nothing else: %s', async (message, values) => {
    const alice = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(alice, values);
    expect((await update({ keyId: 1, name: 'Old' })).data.name).toBe('Old');
    const before = await setup.stored();
    for (const input of [
      { expiresAt: '2099-01-31T12:00:00Z' },
      { name: 'Desk', permissions: ['documents.read'] },
      { quota: { limit: 1, refill: 'NEVER' } },
    ])
      expect(await update({ keyId: 1, ...input })).toEqual({ status: 409, code: 'CONFLICT', message });
    expect(await setup.stored()).toEqual(before);
  });
});

describe('permissions that the operator has named', () => {
  const known = { apiKeyPermissions: ['documents.read', 'users.me.read'] };

  it.each([
    [['documents.read'], undefined],
    [['*', 'documents.*', 'users.*', 'users.me.*'], undefined],
    [['documents.write'], 'permissions.0'],
    [['documents.read', 'documents'], 'permissions.1'],
    [['document.*'], 'permissions.0'],
    [['documents.read.*'], 'permissions.0'],
    [['documents*'], 'permissions.0'],
  ])('are all that a key may have: %j', async (permissions, place) => {
    await using gateway = await createTestGateway(setup.issuer, known);
    const token = await setup.sign();
    const made = await gateway.rest('POST', '/auth/keys', { token, json: {} });
    for (const [method, path] of [
      ['POST', '/auth/keys'],
      ['PATCH', `/auth/keys/${made.body.id}`],
    ] as const) {
      const { status, body } = await gateway.rest(method, path, { token, json: { permissions } });
      if (place) expect([status, body.detail[0].loc.slice(1).join('.')]).toEqual([422, place]);
      else expect(body.permissions).toEqual(permissions);
    }
  });
});

describe('If-Match', () => {
  it('lets a change be made to what was read, and its tag changes', async () => {
    await createApiKeys(setup);
    const token = await setup.sign();
    const read = () => setup.gateway.rest('GET', '/auth/keys/1', { token });
    const tag = `${(await read()).headers.get('etag')}`;
    const change = (name: string) =>
      setup.gateway.rest('PATCH', '/auth/keys/1', {
        token,
        json: { permissions: [name] },
        headers: { 'if-match': tag },
      });
    const { status, headers } = await change('documents.read');
    expect([status, headers.get('etag')]).toEqual([200, (await read()).headers.get('etag')]);
    expect(headers.get('etag')).not.toBe(tag);
    expect((await change('documents.write')).status).toBe(412);
    expect((await read()).body.permissions).toEqual(['documents.read']);
  });

  it('takes back the record that was read', async () => {
    await createApiKeys(setup);
    const token = await setup.sign();
    await setup.gateway.rest('PATCH', '/auth/keys/1', {
      token,
      json: { quota: { limit: 5, refill: 'daily' }, rate_limit: { limit: 1, window_seconds: 1 } },
    });
    const { body } = await setup.gateway.rest('GET', '/auth/keys/1', { token });
    const before = await setup.stored();
    const again = await setup.gateway.rest('PATCH', '/auth/keys/1', { token, json: body });
    expect([again.status, again.body]).toEqual([200, body]);
    expect(await setup.stored()).toEqual(before);
  });
});

describe('the audit event', () => {
  describeAudit(setup, operation, 1);
});

describeKeyId(setup, operation);

describe.each(transports)('a key from before the limit of 4096 bytes, over %s', (_transport, update) => {
  it('is read, keeps what it has, may shrink and may not grow', async () => {
    await createApiKeys(setup);
    const { permissions, allowedAddresses } = together(4096);
    const metadata = { note: 'y'.repeat(2000) };
    await setup.gateway.database.em
      .fork()
      .execute('update api_key set permissions = ?, allowed_addresses = ?, metadata = ? where id = 1', [
        JSON.stringify(permissions),
        JSON.stringify(allowedAddresses),
        JSON.stringify(metadata),
      ]);
    expect((await update({ keyId: 1, name: 'Desk' })).data).toMatchObject({ permissions, metadata });
    expect((await update({ keyId: 1, metadata: { note: 'y'.repeat(1999) } })).code).toBe('OK');
    expect((await update({ keyId: 1, metadata })).code).toBe('BAD_USER_INPUT');
  });
});

it('a key that is too large is refused with its size and the limit', async () => {
  const { permissions, allowedAddresses: allowed_addresses, metadata } = together(4097);
  const json = { permissions, allowed_addresses, metadata };
  const { body } = await setup.gateway.rest('POST', '/auth/keys', { token: await setup.sign(), json });
  const msg =
    'Permissions, allowed addresses and metadata must have at most 4096 bytes together, as JSON. These have 4097.';
  expect(body.detail).toEqual([{ loc: ['body'], msg, type: 'too_long' }]);
});
