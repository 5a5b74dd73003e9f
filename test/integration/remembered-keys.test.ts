import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { Db } from '../../src/database/db.ts';
import type { ApiKey } from '../../src/database/tables.ts';
import { secretOfSamePrefix } from '../support/api-key-secrets.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { createTemporaryFolder } from '../support/process.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

// Keys are remembered where the database is a file.

const setup = setUpGateway();

const noon = Date.parse('2026-03-01T12:00:00.000Z');
const anHour = 3_600_000;

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let gateway: TestGateway;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  gateway = await createTestGateway(setup.issuer, {
    databaseUrl: `sqlite:${join(folder.path, 'keyward.db')}`,
  });
  vi.useFakeTimers({ toFake: ['Date'], now: noon });
});
afterEach(async () => {
  vi.useRealTimers();
  await gateway[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const createKey = async (values: Partial<ApiKey> = {}) =>
  gateway.createVerifiableKey(await gateway.createAccount('alice'), values);

const verify = async (key: string) => {
  const token = await setup.sign({ sub: 'server', scope: 'keys.verify' });
  return (await gateway.rest('POST', '/keys/verify', { token, json: { key } })).body;
};
const authorize = (key: string) => gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key } });

/** Counts from now on how often a secret is looked up in the database. */
function countLookUps(): () => number {
  const { mock } = vi.spyOn(Db.prototype, 'run');
  return () => mock.calls.filter(([{ sql }]) => sql.includes('from "api_key_secret"')).length;
}

it('a key is read once for all three doors', async () => {
  const { id, secret } = await createKey({
    permissions: '["documents.read"]',
    metadata: '{"team":"search"}',
  });
  const lookUps = countLookUps();
  const first = await verify(secret);
  expect(first).toMatchObject({ valid: true, key_id: id, name: 'Laptop', metadata: { team: 'search' } });
  expect(lookUps()).toBe(1);
  expect(await verify(secret)).toEqual(first);
  expect((await authorize(secret)).status).toBe(200);
  const itself = await gateway.rest('GET', '/keys/self', { headers: { 'x-api-key': secret } });
  expect(itself.body).toMatchObject({ id });
  expect(lookUps()).toBe(1);
});

describe('what the time decides is decided at each verification: a remembered key', () => {
  it('expires', async () => {
    const { secret } = await createKey({ expiresAt: new Date(noon + anHour) });
    expect(await verify(secret)).toMatchObject({ valid: true });
    const lookUps = countLookUps();
    vi.setSystemTime(noon + anHour - 1);
    expect(await verify(secret)).toMatchObject({ valid: true });
    vi.setSystemTime(noon + anHour);
    expect(await verify(secret)).toMatchObject({ valid: false, reason: 'expired' });
    expect((await authorize(secret)).status).toBe(401);
    expect(lookUps()).toBe(0);
  });

  it('ends with the grace of its previous secret', async () => {
    const { id, secret: current } = await createKey();
    const previous = createApiKeySecret();
    await gateway.addSecret(id, previous, new Date(noon + anHour));
    for (const secret of [current, previous]) expect(await verify(secret)).toMatchObject({ valid: true });
    const lookUps = countLookUps();
    vi.setSystemTime(noon + anHour);
    expect(await verify(previous)).toMatchObject({ valid: false, reason: 'rotated' });
    expect(await verify(current)).toMatchObject({ valid: true });
    expect(lookUps()).toBe(0);
  });

  it('has its quota again, and that of its account, when their periods end', async () => {
    const { id, secret } = await createKey();
    const overrides = JSON.stringify({ quota: { limit: 5, refill: 'monthly' } });
    await gateway.database.em.getConnection().execute('update account set overrides = ?', [overrides]);
    await gateway.createQuota(id, {
      units: 2,
      refill: 'daily',
      refillsAt: new Date('2026-03-02T00:00:00.000Z'),
    });
    const use = async () => (await verify(secret)).reason;
    // Twice: what was refused without a change is remembered.
    const uses = [await use(), await use(), await use(), await use()];
    expect(uses).toEqual([null, null, 'quota_exceeded', 'quota_exceeded']);
    vi.setSystemTime(Date.parse('2026-03-01T23:59:59.999Z'));
    expect(await use()).toBe('quota_exceeded');
    vi.setSystemTime(Date.parse('2026-03-02T00:00:00.000Z'));
    expect([await use(), await use(), await use()]).toEqual([null, null, 'quota_exceeded']);
    vi.setSystemTime(Date.parse('2026-03-03T00:00:00.000Z'));
    const last = [await use(), await use(), await use(), await use()];
    expect(last).toEqual([
      null,
      'account_quota_exceeded',
      'account_quota_exceeded',
      'account_quota_exceeded',
    ]);
    vi.setSystemTime(Date.parse('2026-04-01T00:00:00.000Z'));
    expect([await use(), await use(), await use()]).toEqual([null, null, 'quota_exceeded']);
  });
});

it('a remembered key counts its uses like any other', async () => {
  const { id, secret } = await createKey();
  for (let time = 0; time < 4; time += 1) await verify(secret);
  await gateway.keyUsage.write();
  expect(await gateway.rows('api_key_use')).toMatchObject([{ api_key_id: id, outcome: 'valid', count: 4 }]);
  expect(gateway.log().filter((line) => line['keyId'] === id).length).toBe(4);
});

it('a secret with the prefix of a remembered key is no such key', async () => {
  const { secret } = await createKey();
  expect(await verify(secret)).toMatchObject({ valid: true });
  expect(await verify(secretOfSamePrefix(secret))).toMatchObject({ reason: 'not_found' });
});
