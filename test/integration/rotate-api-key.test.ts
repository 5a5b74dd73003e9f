import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApiKeySecret, isApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { mostSecrets } from '../../src/api-keys/rotate-api-key.ts';
import { cleanUpBatch } from '../../src/database/clean-up.ts';
import { createTestGateway } from '../support/gateway.ts';
import {
  createApiKeys,
  describeAudit,
  describeKeyId,
  noParts,
  partsSelection,
} from '../support/key-suite.ts';
import { verify } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { type CallOperation, transportsOf } from '../support/transports.ts';

const now = new Date('2026-03-01T08:00:00.000Z');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

const setup = setUpGateway();

const operation = {
  field: 'rotateApiKey',
  rest: ['POST', '/auth/keys/{key_id}/rotate'],
  query: `mutation ($keyId: Int!, $graceSeconds: Int) { rotateApiKey(keyId: $keyId, graceSeconds: $graceSeconds) { apiKey {
    id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion
    expiresAt deactivatedAt previousWorksUntil lastUsedAt ${partsSelection} } key } }`,
} as const;

const transports = transportsOf(setup, operation);

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

describe.each(transports)('success over %s', (_transport, rotate) => {
  it('answers the same key with a new secret', async () => {
    await createApiKeys(setup);
    await addSecret(1);
    const { status, data } = await rotate({ keyId: 1 });
    expect(status).toBe(200);
    expect(data).toEqual({
      id: 1,
      key_prefix: data.key.slice(0, 9),
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
    expect(isApiKeySecret(data.key)).toBe(true);
    const [first, second, third] = await setup.gateway.rows('api_key');
    expect(first).toMatchObject({ key_prefix: data.key_prefix });
    expect([second, third]).toMatchObject([{ key_prefix: 'sk-a1b2c3' }, { key_prefix: 'sk-a1b2c3' }]);
  });

  it.each([{}, { graceSeconds: 0 }, { graceSeconds: null }])(
    'deletes the secret so far without a grace: %j',
    async (grace) => {
      await createApiKeys(setup);
      await addSecret(1);
      const others = [await addSecret(2), await addSecret(3)].map(digestOf);
      const { data } = await rotate({ keyId: 1, ...grace });
      expect(await secretsOf(1)).toEqual({ [digestOf(data.key)]: null });
      expect(Object.keys({ ...(await secretsOf(2)), ...(await secretsOf(3)) })).toEqual(others);
    },
  );

  it('ends the secrets of earlier rotations as well, without a grace', async () => {
    await createApiKeys(setup);
    const earlier = [await addSecret(1), await addSecret(1, inSeconds(900))];
    for (const graceSeconds of [600, 300]) earlier.push((await rotate({ keyId: 1, graceSeconds })).data.key);
    expect(await validOf(earlier)).toEqual([true, true, true, true]);
    const { data } = await rotate({ keyId: 1 });
    expect(await validOf([...earlier, data.key])).toEqual([false, false, false, false, true]);
    expect(await secretsOf(1)).toEqual({ [digestOf(data.key)]: null });
    expect(data.previous_works_until).toBe(now.toISOString());
  });

  it.each<[number, Date | null, Date]>([
    [1, null, inSeconds(1)],
    [604_800, null, inSeconds(604_800)],
    [60, inSeconds(59), inSeconds(59)],
    [60, inSeconds(60), inSeconds(60)],
    [60, inSeconds(61), inSeconds(60)],
  ])(
    'lets the secret so far work for %i s, no longer than its key, which expires at %s',
    async (...given) => {
      const [graceSeconds, expiresAt, worksUntil] = given;
      await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'), { expiresAt });
      const old = await addSecret(1);
      const { data } = await rotate({ keyId: 1, graceSeconds });
      expect(await secretsOf(1)).toEqual({ [digestOf(old)]: worksUntil, [digestOf(data.key)]: null });
      expect(data.previous_works_until).toBe(worksUntil.toISOString());
    },
  );

  it('tells until when the last of the earlier secrets works', async () => {
    await createApiKeys(setup);
    await addSecret(1);
    const told: unknown[] = [];
    for (const graceSeconds of [60, 0, 30, 90])
      told.push((await rotate({ keyId: 1, graceSeconds })).data.previous_works_until);
    expect(told).toEqual([60, 0, 30, 90].map((seconds) => inSeconds(seconds).toISOString()));
  });

  it('tells no end later than that of the key, where it was moved since', async () => {
    await createApiKeys(setup);
    await addSecret(1);
    const { data } = await rotate({ keyId: 1, graceSeconds: 60 });
    const token = await setup.sign();
    for (const [seconds, end] of [
      [90, 60],
      [30, 30],
    ] as const) {
      const json = { expires_at: inSeconds(seconds).toISOString() };
      const { body } = await setup.gateway.rest('PATCH', `/auth/keys/${data.id}`, { token, json });
      expect(body.previous_works_until).toBe(inSeconds(end).toISOString());
    }
  });

  it('leaves earlier secrets their own end, and deletes those that have come to it', async () => {
    await createApiKeys(setup);
    await addSecret(1, inSeconds(-1));
    await addSecret(1, now);
    const earlier = await addSecret(1, inSeconds(1));
    const long = await addSecret(1, inSeconds(600_000));
    const current = await addSecret(1);
    const { data } = await rotate({ keyId: 1, graceSeconds: 60 });
    expect(await secretsOf(1)).toEqual({
      [digestOf(earlier)]: inSeconds(1),
      [digestOf(long)]: inSeconds(600_000),
      [digestOf(current)]: inSeconds(60),
      [digestOf(data.key)]: null,
    });
  });

  it('lets four secrets work at the most, ends the oldest first, and tells so', async () => {
    await createApiKeys(setup);
    const secrets = [await addSecret(1)];
    const told: unknown[] = [];
    for (const graceSeconds of [600_000, 50, 40, 30, 20, 10]) {
      const { data } = await rotate({ keyId: 1, graceSeconds });
      secrets.push(data.key);
      told.push(data.previous_works_until);
    }
    expect(await validOf(secrets)).toEqual([false, false, false, true, true, true, true]);
    expect(Object.keys(await secretsOf(1))).toHaveLength(mostSecrets);
    // The first had the longest grace, and ended before it.
    expect(told).toEqual([600_000, 600_000, 600_000, 50, 40, 30].map((end) => inSeconds(end).toISOString()));
  });

  it('keeps an imported secret that ended as one too many: a repeated import knows it', async () => {
    await createApiKeys(setup);
    const imported = await addSecret(1, inSeconds(600));
    await setup.gateway.database.em
      .fork()
      .execute('update api_key_secret set is_imported = true where works_until is not null');
    await addSecret(1);
    for (let time = 0; time < 3; time += 1) await rotate({ keyId: 1, graceSeconds: 60 });
    expect((await secretsOf(1))[digestOf(imported)]).toEqual(now);
    expect(await validOf([imported])).toEqual([false]);
  });

  it('deletes no more ended secrets than a batch, however many an older database holds', async () => {
    await createApiKeys(setup);
    for (let added = 0; added < cleanUpBatch + 50; added += 1) await addSecret(1, inSeconds(-1));
    await rotate({ keyId: 1 });
    const left = Object.values(await secretsOf(1));
    expect(left.filter((until) => until !== null)).toHaveLength(50);
    expect(left.filter((until) => until === null)).toHaveLength(1);
  });

  it('writes who rotated what, and the secret nowhere', async () => {
    await createApiKeys(setup);
    const { data } = await rotate({ keyId: 1, graceSeconds: 60 });
    expect(await setup.gateway.rows('audit_event')).toMatchObject([
      { account_id: 1, action: 'api-key-rotated', target: 1 },
    ]);
    const logged = setup.gateway.log().filter((line) => line['event']);
    expect(logged).toMatchObject([{ event: 'api-key-rotated', accountId: 1, keyId: 1 }]);
    expect(JSON.stringify([await setup.stored(), setup.gateway.log()])).not.toContain(data.key.slice(10));
  });

  it('drops a sealed copy where sealing is no longer configured', async () => {
    const alice = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(alice, { encryptedKey: 'a..b.c.d', encryptionVersion: 3 });
    const { data } = await rotate({ keyId: 1 });
    expect(data).toMatchObject({ encrypted_key: null, encryption_version: 1 });
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

describe.each(transports)('409 over %s', (_transport, rotate) => {
  it.each([
    ['inactive', { isActive: false }, 'API key is inactive'],
    ['expired now', { expiresAt: now }, 'API key has expired'],
    ['inactive and expired', { isActive: false, expiresAt: now }, 'API key is inactive'],
  ])('is the answer for a key that is %s', async (_name, values, message) => {
    await setup.gateway.createApiKey(await setup.gateway.createAccount('alice'), values);
    await addSecret(1);
    const before = await setup.stored();
    const outcome = await rotate({ keyId: 1, graceSeconds: 60 });
    expect(outcome).toEqual({ status: 409, code: 'CONFLICT', message });
    expect(await setup.stored()).toEqual(before);
  });
});

describe.each(transports)('BAD_USER_INPUT over %s', (transport, rotate) => {
  it.each([
    [-1, 'greater_than_equal'],
    [604_801, 'less_than_equal'],
    ['60', 'int_type'],
    [1.5, 'int_from_float'],
    [2_147_483_648, 'int_parsing_size'],
  ])('says what is wrong with a grace of %j: %s', async (graceSeconds, type) => {
    await createApiKeys(setup);
    const before = await setup.stored();
    const status = transport === 'GraphQL' && type.startsWith('int') ? 400 : 422;
    const issues = [['grace_seconds', type]];
    expect(await rotate({ keyId: 1, graceSeconds })).toEqual({ status, code: 'BAD_USER_INPUT', issues });
    expect(await setup.stored()).toEqual(before);
  });
});

describe('100 rotations at once', () => {
  it.each([0, 60])('with a grace of %i s leave one current secret, and three in grace', async (grace) => {
    await createApiKeys(setup);
    const first = await addSecret(1);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const [, rotate] = transports[index % 2] as [string, CallOperation];
        return rotate({ keyId: 1, graceSeconds: grace });
      }),
    );
    expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set(['OK']));
    const stored = await secretsOf(1);
    const current = Object.keys(stored).filter((digest) => stored[digest] === null);
    const winner = outcomes.filter(({ data }) => digestOf(data.key) === current[0]);
    expect([current.length, winner.length]).toEqual([1, 1]);
    const [row] = await setup.gateway.rows('api_key');
    expect(row?.['key_prefix']).toBe(winner[0]?.data.key_prefix);
    const answered = new Set([digestOf(first), ...outcomes.map(({ data }) => digestOf(data.key))]);
    expect(Object.keys(stored).filter((digest) => !answered.has(digest))).toEqual([]);
    const ends = Object.values(stored).filter((end) => end !== null);
    expect(ends).toEqual(grace === 0 ? [] : Array(mostSecrets - 1).fill(inSeconds(60)));
    expect(await setup.gateway.rows('audit_event')).toHaveLength(100);
  });
});

describe('the audit event', () => {
  describeAudit(setup, operation, 1);
});

describeKeyId(setup, operation);

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
