import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApiKeySecret, isApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { mostSecrets } from '../../src/api-keys/rotate-api-key.ts';
import { createTestGateway } from '../support/gateway.ts';
import { createApiKeys, noParts } from '../support/key-suite.ts';
import { verify } from '../support/operators.ts';
import { issuesOf, setUpGateway } from '../support/set-up-gateway.ts';

const now = new Date('2026-03-01T08:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const rotate = (json: object = {}, id = 1) => setup.call('POST', `/auth/keys/${id}/rotate`, json);

const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const digestOf = (secret: string) => setup.gateway.secrets.peppers.digest(secret).digest.toString('hex');

/** Gives a key a secret; returns it. */
const addSecret = async (keyId: number, worksUntil: Date | null = null): Promise<string> => {
  const secret = createApiKeySecret();
  await setup.gateway.addSecret(keyId, secret, worksUntil);
  return secret;
};

/** When each secret of a key ceases to work, by its digest; null for the current one. */
const secretsOf = async (keyId: number): Promise<Record<string, Date | null>> => {
  const stored = (await setup.gateway.rows('api_key_secret')).filter((row) => row['api_key_id'] === keyId);
  return Object.fromEntries(
    stored.map((row) => {
      const until = row['works_until'] as number | null;
      return [(row['digest'] as Buffer).toString('hex'), until === null ? null : new Date(until)];
    }),
  );
};

/** Whether each of these secrets is good. */
const validOf = async (secrets: readonly string[]): Promise<boolean[]> => {
  const answers: boolean[] = [];
  for (const secret of secrets) answers.push((await verify(setup, secret)).valid);
  return answers;
};

describe('an active key', () => {
  it('gets a new secret → the record and the secret', async () => {
    await createApiKeys(setup);
    await addSecret(1);
    const { status, body } = await rotate();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: 1,
      key_prefix: body.key.slice(0, 9),
      name: 'Laptop',
      created_at: '2026-01-31T12:00:00.000Z',
      is_active: true,
      is_default: true,
      encrypted_key: null,
      encryption_version: 1,
      expires_at: null,
      deactivated_at: null,
      previous_works_until: null,
      last_used_at: null,
      ...noParts,
      key: expect.stringMatching(/^sk-[a-z0-9]{6}\.[0-9a-f]{64}$/),
    });
    expect(isApiKeySecret(body.key)).toBe(true);
    const [first, second, third] = await setup.gateway.rows('api_key');
    expect(first).toMatchObject({ key_prefix: body.key_prefix });
    expect([second, third]).toMatchObject([{ key_prefix: 'sk-a1b2c3' }, { key_prefix: 'sk-a1b2c3' }]);
  });

  it.each([{}, { grace_seconds: 0 }, { grace_seconds: null }])(
    'without a grace → the previous secret is deleted: %j',
    async (grace) => {
      await createApiKeys(setup);
      await addSecret(1);
      const others = [await addSecret(2), await addSecret(3)].map(digestOf);
      const { body } = await rotate(grace);
      expect(await secretsOf(1)).toEqual({ [digestOf(body.key)]: null });
      expect(Object.keys({ ...(await secretsOf(2)), ...(await secretsOf(3)) })).toEqual(others);
    },
  );

  it('without a grace → the secrets of earlier rotations end too', async () => {
    await createApiKeys(setup);
    const earlier = [await addSecret(1), await addSecret(1, inSeconds(900))];
    for (const grace_seconds of [600, 300]) earlier.push((await rotate({ grace_seconds })).body.key);
    expect(await validOf(earlier)).toEqual([true, true, true, true]);
    const { body } = await rotate();
    expect(await validOf([...earlier, body.key])).toEqual([false, false, false, false, true]);
    expect(await secretsOf(1)).toEqual({ [digestOf(body.key)]: null });
    expect(body.previous_works_until).toBe(now.toISOString());
  });

  it.each<[number, Date | null, Date]>([
    [1, null, inSeconds(1)],
    [604_800, null, inSeconds(604_800)],
    [60, inSeconds(59), inSeconds(59)],
    [60, inSeconds(60), inSeconds(60)],
    [60, inSeconds(61), inSeconds(60)],
  ])(
    'with a grace of %i s, expiring at %s → the previous secret ends with the first of both',
    async (...given) => {
      const [graceSeconds, expiresAt, worksUntil] = given;
      await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'), { expiresAt });
      const old = await addSecret(1);
      const { body } = await rotate({ grace_seconds: graceSeconds });
      expect(await secretsOf(1)).toEqual({ [digestOf(old)]: worksUntil, [digestOf(body.key)]: null });
      expect(body.previous_works_until).toBe(worksUntil.toISOString());
    },
  );

  it('previous_works_until is the end of the last of the earlier secrets', async () => {
    await createApiKeys(setup);
    await addSecret(1);
    const told: unknown[] = [];
    for (const grace_seconds of [60, 0, 30, 90])
      told.push((await rotate({ grace_seconds })).body.previous_works_until);
    expect(told).toEqual([60, 0, 30, 90].map((seconds) => inSeconds(seconds).toISOString()));
  });

  it('previous_works_until is never later than an expiry that was moved', async () => {
    await createApiKeys(setup);
    await addSecret(1);
    await rotate({ grace_seconds: 60 });
    for (const [seconds, end] of [
      [90, 60],
      [30, 30],
    ] as const) {
      const json = { expires_at: inSeconds(seconds).toISOString() };
      const { body } = await setup.call('PATCH', '/auth/keys/1', json);
      expect(body.previous_works_until).toBe(inSeconds(end).toISOString());
    }
  });

  it('earlier secrets keep their own end, and those that ended are deleted', async () => {
    await createApiKeys(setup);
    await addSecret(1, inSeconds(-1));
    await addSecret(1, now);
    const earlier = await addSecret(1, inSeconds(1));
    const long = await addSecret(1, inSeconds(600_000));
    const current = await addSecret(1);
    const { body } = await rotate({ grace_seconds: 60 });
    expect(await secretsOf(1)).toEqual({
      [digestOf(earlier)]: inSeconds(1),
      [digestOf(long)]: inSeconds(600_000),
      [digestOf(current)]: inSeconds(60),
      [digestOf(body.key)]: null,
    });
  });

  it('at most four secrets work: the oldest ends first', async () => {
    await createApiKeys(setup);
    const secrets = [await addSecret(1)];
    const told: unknown[] = [];
    for (const grace_seconds of [600_000, 50, 40, 30, 20, 10]) {
      const { body } = await rotate({ grace_seconds });
      secrets.push(body.key);
      told.push(body.previous_works_until);
    }
    expect(await validOf(secrets)).toEqual([false, false, false, true, true, true, true]);
    expect(Object.keys(await secretsOf(1))).toHaveLength(mostSecrets);
    // The first had the longest grace, and ended before it.
    expect(told).toEqual([600_000, 600_000, 600_000, 50, 40, 30].map((end) => inSeconds(end).toISOString()));
  });

  it('an imported secret that ended as one too many is kept for a repeated import', async () => {
    await createApiKeys(setup);
    const imported = await addSecret(1, inSeconds(600));
    await setup.gateway.database.em
      .fork()
      .execute('update api_key_secret set is_imported = true where works_until is not null');
    await addSecret(1);
    for (let time = 0; time < 3; time += 1) await rotate({ grace_seconds: 60 });
    expect((await secretsOf(1))[digestOf(imported)]).toEqual(now);
    expect(await validOf([imported])).toEqual([false]);
  });

  it('deletes the ended secrets', async () => {
    await createApiKeys(setup);
    for (let added = 0; added < 3; added += 1) await addSecret(1, inSeconds(-1));
    await rotate();
    expect(Object.values(await secretsOf(1))).toEqual([null]);
  });

  it('writes an audit event and a log line, and the secret nowhere', async () => {
    await createApiKeys(setup);
    const { body } = await rotate({ grace_seconds: 60 });
    expect(await setup.gateway.rows('audit_event')).toMatchObject([
      { account_id: 1, action: 'api-key-rotated', target: 1 },
    ]);
    const logged = setup.gateway.log().filter((line) => line['event']);
    expect(logged).toMatchObject([{ event: 'api-key-rotated', accountId: 1, keyId: 1 }]);
    expect(JSON.stringify([await setup.stored(), setup.gateway.log()])).not.toContain(body.key.slice(10));
  });

  it('sealing is no longer configured → the sealed copy is dropped', async () => {
    const alice = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(alice, { encryptedKey: 'a..b.c.d', encryptionVersion: 3 });
    const { body } = await rotate();
    expect(body).toMatchObject({ encrypted_key: null, encryption_version: 1 });
    expect(await setup.gateway.rows('api_key')).toMatchObject([
      { encrypted_key: null, encryption_version: 1 },
    ]);
  });
});

describe('with SEAL_API_KEYS', () => {
  it('replaces the sealed copy', async () => {
    await using gateway = await createTestGateway(setup.issuer, { sealApiKeys: true });
    const token = await setup.sign();
    const created = await gateway.rest('POST', '/auth/keys', { token, json: {} });
    const { body } = await gateway.rest('POST', '/auth/keys/1/rotate', { token, json: {} });
    expect(body.encrypted_key).not.toBe(created.body.encrypted_key);
    expect(await gateway.rows('api_key')).toMatchObject([{ encrypted_key: body.encrypted_key }]);
    const version = body.encryption_version as number;
    const binding = { purpose: 'api-key', accountId: 1, rowId: 1, version } as const;
    const opened = await gateway.secrets.sealer.open(body.encrypted_key, binding);
    expect(Buffer.from(opened).toString()).toBe(body.key);
  });
});

describe('a key that cannot be used', () => {
  it.each([
    ['inactive', { isActive: false }, 'API key is inactive'],
    ['expired now', { expiresAt: now }, 'API key has expired'],
    ['inactive and expired', { isActive: false, expiresAt: now }, 'API key is inactive'],
  ])('%s → 409', async (_name, values, message) => {
    await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'), values);
    await addSecret(1);
    const before = await setup.stored();
    const answer = await rotate({ grace_seconds: 60 });
    expect(answer).toMatchObject({ status: 409, body: { detail: message } });
    expect(await setup.stored()).toEqual(before);
  });
});

describe('a grace', () => {
  it.each([
    [-1, 'greater_than_equal'],
    [604_801, 'less_than_equal'],
    ['60', 'int_type'],
    [1.5, 'int_from_float'],
    [2_147_483_648, 'int_parsing_size'],
  ])('of %j → 422: %s', async (grace_seconds, type) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const answer = await rotate({ grace_seconds });
    expect([answer.status, issuesOf(answer)]).toEqual([422, [['grace_seconds', type]]]);
    expect(await setup.stored()).toEqual(before);
  });
});

describe('100 rotations at once', () => {
  it.each([0, 60])('with a grace of %i s → one current secret, and at most three in grace', async (grace) => {
    await createApiKeys(setup);
    const first = await addSecret(1);
    const answers = await Promise.all(Array.from({ length: 100 }, () => rotate({ grace_seconds: grace })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const stored = await secretsOf(1);
    const current = Object.keys(stored).filter((digest) => stored[digest] === null);
    const winner = answers.filter(({ body }) => digestOf(body.key) === current[0]);
    expect([current.length, winner.length]).toEqual([1, 1]);
    const [row] = await setup.gateway.rows('api_key');
    expect(row?.['key_prefix']).toBe(winner[0]?.body.key_prefix);
    const answered = new Set([digestOf(first), ...answers.map(({ body }) => digestOf(body.key))]);
    expect(Object.keys(stored).filter((digest) => !answered.has(digest))).toEqual([]);
    const ends = Object.values(stored).filter((end) => end !== null);
    expect(ends).toEqual(grace === 0 ? [] : Array(mostSecrets - 1).fill(inSeconds(60)));
    expect(await setup.gateway.rows('audit_event')).toHaveLength(100);
  });
});

it.each<[string, Record<string, string>, string | undefined]>([
  ['no body and no content type', {}, undefined],
  ['no body, and a content type', { 'content-type': 'application/json' }, undefined],
  ['an empty body', { 'content-type': 'application/json' }, ''],
  ['an empty body of another type', { 'content-type': 'text/plain' }, ''],
])('over REST, a request may have %s: the previous secret ends at once', async (_what, headers, body) => {
  const account = await setup.gateway.createAccount('alice');
  const { id, secret } = await setup.gateway.createVerifiableKey(account);
  const answer = await setup.gateway.rest('POST', `/auth/keys/${id}/rotate`, {
    token: await setup.sign(),
    headers,
    ...(body !== undefined && { body }),
  });
  expect(answer).toMatchObject({ status: 200, body: { id, previous_works_until: null } });
  expect((await verify(setup, secret)).valid).toBe(false);
});
