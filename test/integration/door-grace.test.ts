import { join } from 'node:path';
import { DriverException } from '@mikro-orm/core';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { OutageGrace } from '../../src/api-keys/verify/door-grace.ts';
import { rememberedKeysOf } from '../../src/api-keys/verify/verify-secret.ts';
import { Db } from '../../src/database/db.ts';
import { OutcomeUnknownError } from '../../src/database/failures.ts';
import type { AccountId } from '../../src/database/tables.ts';
import { secretOfSamePrefix } from '../support/api-key-secrets.ts';
import { createOnServer } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const noon = Date.parse('2026-03-01T12:00:00.000Z');
const anHour = 3_600_000;
const away = new DriverException(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));

/** Whether the database goes by this process's clock. */
const isSqlite = inject('postgresUrl') === undefined;

let opened: AsyncDisposableStack;
let gateway: TestGateway;
let grace: OutageGrace;
beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const folder = opened.use(await createTemporaryFolder());
  const server = inject('postgresUrl');
  gateway = opened.use(
    await createTestGateway(setup.issuer, {
      databaseUrl:
        server === undefined
          ? `sqlite:${join(folder.path, 'keyward.db')}`
          : await createOnServer(server, inject('postgresTemplate')),
      doorGrace: (db) => {
        const keys = { ...rememberedKeysOf(db), probe: () => Promise.reject(away) };
        grace = opened.use(new OutageGrace(60_000, keys, { began: () => {}, ended: () => {} }));
        return grace;
      },
    }),
  );
  await gateway.verificationKeys.refresh();
});
afterEach(async () => {
  vi.useRealTimers();
  await opened.disposeAsync();
});

const createKey = async (values = {}, owner = 'alice') =>
  gateway.createVerifiableKey(await gateway.createAccount(owner), values);

const verify = async (key: string, input: object = {}) => {
  const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
  const { status, body } = await gateway.rest('POST', '/keys/verify', { token, json: { key, ...input } });
  return { status, ...body };
};
const authorize = (key: string) => gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key } });

/** The database goes away, and nothing reaches it any more. */
const leave = () => {
  grace.noteFailure(away);
  return vi.spyOn(gateway.database.em.getKysely(), 'executeQuery').mockRejectedValue(away);
};

/** How many of 100 verifications, each of the next secret, are granted. */
async function countGranted(secrets: readonly string[]): Promise<number> {
  let granted = 0;
  for (let time = 0; time < 100; time += 1)
    if ((await verify(secrets[time % secrets.length] ?? '')).valid) granted += 1;
  return granted;
}

it('the doors say that an answer is an old one, and GraphQL too', async () => {
  const { id, secret } = await createKey({ description: 'Mine', permissions: '["documents.read"]' });
  const [fresh, itself] = [
    await verify(secret),
    await gateway.rest('GET', '/keys/self', { headers: { 'x-api-key': secret } }),
  ];
  expect(fresh).toMatchObject({ valid: true, stale: false });
  leave();
  expect(await verify(secret)).toEqual({ ...fresh, stale: true });
  const authorized = await authorize(secret);
  expect([authorized.status, authorized.headers.get('x-keyward-stale')]).toEqual([200, '1']);
  const stale = await gateway.rest('GET', '/keys/self', { headers: { 'x-api-key': secret } });
  expect(stale.headers.get('x-keyward-stale')).toBe('1');
  expect(stale.body).toEqual(itself.body);
  expect(stale.body).toMatchObject({ id, description: 'Mine', is_default: false });
  const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
  const { body } = await gateway.graphql(
    `mutation { verifyApiKey(key: "${secret}") { valid stale keyId } }`,
    {
      token,
    },
  );
  expect(body.data.verifyApiKey).toEqual({ valid: true, stale: true, keyId: id });
  expect(gateway.log().filter((line) => line['stale'] === true)).toHaveLength(4);
  expect(grace.accepted).toBe(4);
});

it('a key with several limits has them all, and the log names it', async () => {
  const { secret } = await createKey({ rateLimit: 3, rateLimitWindow: 3600 });
  await verify(secret);
  leave();
  expect(await verify(secret)).toMatchObject({ valid: true, rate_limit: { remaining: 1 } });
  expect(await verify(secret)).toMatchObject({ valid: true, rate_limit: { remaining: 0 } });
  expect(await verify(secret)).toMatchObject({ valid: false, stale: true, reason: 'rate_limited' });
  expect((await authorize(secret)).status).toBe(429);
});

describe('while the database is away, all that needs no database is checked', () => {
  it.each([
    [
      'its permissions',
      { permissions: '["pages.read"]' },
      { permissions: ['documents.read'] },
      'insufficient_permissions',
    ],
    [
      'its addresses',
      { allowedAddresses: '["192.0.2.0/24"]' },
      { address: '198.51.100.1' },
      'address_not_allowed',
    ],
  ])('%s', async (_what, values, input, reason) => {
    const { secret } = await createKey(values);
    await verify(secret, { address: '192.0.2.7' });
    leave();
    expect(await verify(secret, { address: '192.0.2.7' })).toMatchObject({ valid: true, stale: true });
    expect(await verify(secret, input)).toMatchObject({ valid: false, stale: true, reason });
  });

  it('its end, and the end of a former secret', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon });
    const { id, secret } = await createKey({ expiresAt: new Date(noon + 2 * anHour) });
    const former = createApiKeySecret();
    await gateway.addSecret(id, former, new Date(noon + anHour));
    for (const each of [secret, former]) expect(await verify(each)).toMatchObject({ valid: true });
    leave();
    vi.setSystemTime(noon + anHour);
    expect(await verify(former)).toMatchObject({ valid: false, reason: 'rotated' });
    expect(await verify(secret)).toMatchObject({ valid: true, stale: true });
    vi.setSystemTime(noon + 2 * anHour);
    expect(await verify(secret)).toMatchObject({ valid: false, reason: 'expired' });
  });
});

describe('while the database is away, 503 is the answer to', () => {
  it.each<[string, (known: string) => Promise<string> | string]>([
    ['a key that was never asked about', async () => (await createKey({}, 'bob')).secret],
    ['another secret of the same prefix', secretOfSamePrefix],
  ])('%s', async (_what, keyOf) => {
    const { secret } = await createKey();
    await verify(secret);
    const other = await keyOf(secret);
    leave();
    expect(await verify(other)).toMatchObject({ status: 503 });
    expect((await authorize(other)).status).toBe(503);
    expect(grace.accepted).toBe(0);
  });

  it('a key that was asked about and is deactivated, by whomever', async () => {
    const { id, secret } = await createKey();
    await verify(secret);
    const token = await setup.sign({ sub: 'alice' });
    expect((await gateway.rest('DELETE', `/auth/keys/${id}`, { token })).status).toBe(200);
    leave();
    expect((await authorize(secret)).status).toBe(503);
  });

  it('a key that was asked about and is paused, even if it was resumed', async () => {
    const { id, secret } = await createKey();
    await verify(secret);
    const token = await setup.sign({ sub: 'alice' });
    for (const change of ['pause', 'resume'])
      expect((await gateway.rest('POST', `/auth/keys/${id}/${change}`, { token })).status).toBe(200);
    leave();
    expect((await authorize(secret)).status).toBe(503);
  });

  it.each([
    ['POST', '/pause', 200],
    ['POST', '/resume', 409],
    ['GET', '', 200],
    ['PATCH', '', 200],
  ])('a key that another process paused, once this one has learned of it: %s %s', async (...given) => {
    const [method, path, status] = given;
    const { id, secret } = await createKey();
    await verify(secret);
    const { kysely } = new Db(gateway.database.em);
    const pause = { paused_at: new Date(0), paused_by: 'operator' as const };
    await kysely.updateTable('api_key').set(pause).where('id', '=', id).execute();
    const token = await setup.sign({ sub: 'alice' });
    const json = method === 'PATCH' ? { json: {} } : {};
    const answer = await gateway.rest(method, `/auth/keys/${id}${path}`, { token, ...json });
    expect(answer.status).toBe(status);
    leave();
    expect((await authorize(secret)).status).toBe(503);
  });

  it.each<[string, (outcome: Promise<unknown>) => Promise<unknown>]>([
    ['is committed', (outcome) => outcome],
    [
      'is committed, and nobody learns of it',
      async (outcome) => {
        await outcome;
        throw new OutcomeUnknownError(new Error('gone'));
      },
    ],
  ])('a key that was found valid just before its deactivation %s', async (_what, end) => {
    const { id, secret } = await createKey();
    await verify(secret);
    const [{ account_id: account }] = (await gateway.rows('api_key')) as [{ account_id: AccountId }];
    const { transaction } = Db.prototype;
    let foundAt = 0;
    vi.spyOn(Db.prototype, 'transaction').mockImplementation(function (this: Db, run) {
      const work = async (db: Db) => {
        const result = await run(db);
        foundAt = performance.now();
        return result;
      };
      return end(transaction.call(this, work as typeof run)) as never;
    });
    const token = await setup.sign({ sub: 'alice' });
    await gateway.rest('DELETE', `/auth/keys/${id}`, { token });
    expect(foundAt).toBeGreaterThan(0);
    expect(grace.isUsable({ id, account }, foundAt)).toBe(false);
  });

  it('a key that another process has deactivated, once this process is told to do the same', async () => {
    const { id, secret } = await createKey();
    await verify(secret);
    await gateway.database.em
      .getConnection()
      .execute(`update api_key set is_active = ${isSqlite ? 0 : 'false'}`);
    const token = await setup.sign({ sub: 'alice' });
    expect((await gateway.rest('DELETE', `/auth/keys/${id}`, { token })).status).toBe(200);
    leave();
    expect((await authorize(secret)).status).toBe(503);
  });

  it('a use of a quota whose period has ended meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon });
    const { id, secret } = await createKey();
    const refillsAt = new Date('2026-03-02T00:00:00.000Z');
    await gateway.createQuota(id, { units: 100, refill: 'daily', refillsAt });
    for (let time = 0; time < 5; time += 1) await verify(secret);
    leave();
    expect(await verify(secret, { cost: 0 })).toMatchObject({ valid: true, stale: true });
    vi.setSystemTime(refillsAt);
    expect(await verify(secret)).toMatchObject({ status: 503 });
  });

  it('a key whose account is blocked', async () => {
    const { secret } = await createKey();
    await verify(secret);
    const [{ id }] = (await gateway.rows('account')) as [{ id: number }];
    const token = await setup.sign({ sub: 'operator', scope: 'keyward.admin' });
    const json = { reason: 'Rehearsal' };
    expect((await gateway.rest('POST', `/admin/accounts/${id}/block`, { token, json })).status).toBe(200);
    leave();
    expect((await authorize(secret)).status).toBe(503);
  });

  it('a use of a quota beyond the units of this node, whichever secret of the key it comes with', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: noon });
    const { id, secret } = await createKey();
    const former = createApiKeySecret();
    await gateway.addSecret(id, former, new Date(noon + 48 * anHour));
    const refillsAt = new Date('2026-03-02T00:00:00.000Z');
    await gateway.createQuota(id, { units: 100, refill: 'daily', refillsAt });
    expect(await verify(former)).toMatchObject({ valid: true });
    // The next period begins with the current secret, so what is remembered of the former one is of the last period.
    if (isSqlite) vi.setSystemTime(noon + 24 * anHour);
    for (let time = 0; time < 20; time += 1) await verify(secret);
    const [{ taken }] = (await gateway.rows('api_key_quota')) as [{ taken: number }];
    const asked = leave();
    const granted = await countGranted([former, secret]);
    expect(granted).toBe(taken - (isSqlite ? 20 : 21));
    expect(granted).toBeGreaterThan(0);
    expect(asked).not.toHaveBeenCalled();
  });
});
