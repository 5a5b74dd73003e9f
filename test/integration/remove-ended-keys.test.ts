import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { removeEndedKeys } from '../../src/api-keys/remove-ended-keys.ts';
import type { VerificationKeys } from '../../src/auth/verification-keys.ts';
import { cleanUpBatch } from '../../src/database/clean-up.ts';
import { Db } from '../../src/database/db.ts';
import type { AccountId, ApiKey } from '../../src/database/tables.ts';
import { readScannerKeys } from '../../src/door/leak-reports/report-signature.ts';
import { recordStatements } from '../support/record-statements.ts';
import { matchOf, type Scanner, startScanner } from '../support/scanner.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

let scanner: Scanner;
let scannerKeys: VerificationKeys;
beforeAll(async () => {
  scanner = await startScanner();
  scannerKeys = readScannerKeys(scanner.url, { failed: () => {}, recovered: () => {} });
});
afterAll(async () => {
  scannerKeys[Symbol.dispose]();
  await scanner[Symbol.asyncDispose]();
});

const keys = { find: (identifier: unknown) => scannerKeys.find(identifier) };
const setup = setUpGateway({ leakReports: { act: 'end', keys } });
const postgres = inject('postgresUrl') !== undefined;

const day = 24 * 60 * 60_000;
const keptDays = 400;

/** A time so many days ago. */
const ago = (days: number) => new Date(Date.now() - days * day);

/** Removes what is to be removed, as the service does every ten minutes. */
const remove = async (db = new Db(setup.gateway.database.em)): Promise<void> => {
  const failures: unknown[] = [];
  await using cleanUp = removeEndedKeys(db, keptDays, (error) => failures.push(error));
  await cleanUp.run();
  expect(failures).toEqual([]);
};

let alice: AccountId;
beforeEach(async () => {
  alice = await setup.gateway.createAccount('alice');
  // Something has happened today.
  await call('PUT', '/automation/settings', {}, 'bob');
});
afterEach(() => {
  vi.useRealTimers();
});

const call = async (method: string, path: string, json?: object, sub = 'alice') =>
  setup.gateway.rest(method, path, { token: await setup.sign({ sub }), ...(json && { json }) });

/** A key that was made a day before it was deactivated or expired, so many days ago. */
const deactivated = (days: number): Partial<ApiKey> => ({
  createdAt: ago(days + 1),
  isActive: false,
  deactivatedAt: ago(days),
});
const expired = (days: number): Partial<ApiKey> => ({ createdAt: ago(days + 1), expiresAt: ago(days) });

const idsOf = async (table: string, column = 'id') =>
  (await setup.gateway.rows(table)).map((row) => row[column]);

describe('a key is removed', () => {
  it.each<[what: string, values: () => Partial<ApiKey>, isRemoved: boolean]>([
    ['deactivated long ago', () => deactivated(keptDays + 1), true],
    ['deactivated just as long ago', () => deactivated(keptDays + 0.01), true],
    ['deactivated later', () => deactivated(keptDays - 0.01), false],
    ['expired long ago', () => expired(keptDays + 1), true],
    ['expired later', () => expired(keptDays - 0.01), false],
    ['deactivated long after it had expired', () => ({ ...deactivated(5), ...expired(900) }), false],
    ['active, and without an end', () => ({ createdAt: ago(900) }), false],
    ['active, and with an end to come', () => expired(-1), false],
    ['deactivated by a clock that was behind', () => ({ ...deactivated(20_000), createdAt: ago(5) }), false],
  ])('or kept, depending on its end: %s', async (_what, values, isRemoved) => {
    const id = await setup.gateway.createApiKey(alice, values());
    await remove();
    expect(await idsOf('api_key')).toEqual(isRemoved ? [] : [id]);
  });

  it("with all its rows, and no other key's", async () => {
    const { gateway } = setup;
    const { id: ended } = await gateway.createVerifiableKey(alice, { ...deactivated(401), isDefault: true });
    const { id: live } = await gateway.createVerifiableKey(alice);
    for (const id of [ended, live]) {
      await gateway.addSecret(id, `an older one of ${id}`, ago(300));
      await gateway.createQuota(id, {});
    }
    const hour = '2026-01-31T12:00:00.000Z';
    await gateway.createUses([ended, live].map((id) => [id, hour, 'valid', 3] as const));
    const trail = await gateway.rows('audit_event');
    await remove();
    expect(await idsOf('api_key')).toEqual([live]);
    expect(await idsOf('api_key_secret', 'api_key_id')).toEqual([live, live]);
    expect(await idsOf('api_key_quota', 'api_key_id')).toEqual([live]);
    expect(await gateway.uses()).toEqual([[live, hour, 'valid', 3]]);
    // What all keys of the account were used is still so.
    expect(await gateway.uses('account')).toEqual([[alice, hour, 'valid', 6]]);
    expect(await gateway.rows('audit_event')).toEqual(trail);
  });

  it('and is then unknown everywhere', async () => {
    const { id, secret } = await setup.gateway.createVerifiableKey(alice, deactivated(401));
    const verify = async () => {
      const token = await setup.sign({ scope: 'keys.verify' });
      return (await setup.gateway.rest('POST', '/keys/verify', { token, json: { key: secret } })).body.reason;
    };
    const label = async () =>
      (await setup.gateway.rest('POST', '/keys/leaks', scanner.report([matchOf(secret)]))).body[0].label;
    expect([await verify(), await label()]).toEqual(['inactive', 'true_positive']);
    await remove();
    expect([await verify(), await label()]).toEqual(['not_found', 'false_positive']);
    const answers = [
      await call('GET', `/auth/keys/${id}`),
      await call('PATCH', `/auth/keys/${id}`, { name: 'Desk' }),
      await call('POST', `/auth/keys/${id}/rotate`, {}),
      await call('DELETE', `/auth/keys/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await call('GET', '/auth/keys')).body).toEqual([]);
    // Its number is never given again.
    expect((await call('POST', '/auth/keys', {})).body).toMatchObject({ id: id + 1, is_default: true });
  });
});

describe('the clock', () => {
  it.each([keptDays, 5000])('%i days ahead at a start → nothing is removed', async (days) => {
    const ids = [
      await setup.gateway.createApiKey(alice, deactivated(1)),
      await setup.gateway.createApiKey(alice, expired(-1)),
      await setup.gateway.createApiKey(alice, expired(1)),
    ];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * day });
    await remove();
    expect(await idsOf('api_key')).toEqual(ids);
  });

  it('ahead, and a key deactivates itself → nothing is removed', async () => {
    const id = await setup.gateway.createApiKey(alice, deactivated(1));
    const itself = await setup.gateway.createVerifiableKey(alice);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 * day });
    const ended = await setup.gateway.rest('DELETE', '/keys/self', { token: itself.secret });
    expect(ended.status).toBe(200);
    await remove();
    expect(await idsOf('api_key')).toEqual([id, itself.id]);
  });

  // SQLite has the clock of the service.
  if (postgres)
    it('ahead of the database → nothing is removed, even with a token that is valid as long', async () => {
      const id = await setup.gateway.createApiKey(alice, deactivated(1));
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 * day });
      expect((await call('PUT', '/automation/settings', { is_enabled: true })).status).toBe(200);
      await remove();
      expect(await idsOf('api_key')).toEqual([id]);
    });

  it('set back → still removes what is due', async () => {
    const [old, later] = [deactivated(500), deactivated(401)];
    await setup.gateway.createApiKey(alice, old);
    const id = await setup.gateway.createApiKey(alice, later);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 50 * day });
    await remove();
    expect(await idsOf('api_key')).toEqual([id]);
  });

  it('in a service without any event → not trusted, and nothing is removed', async () => {
    const { gateway } = setup;
    expect(await gateway.reset()).toBe(true);
    const id = await gateway.createApiKey(await gateway.createAccount('alice'), deactivated(500));
    await remove();
    expect(await idsOf('api_key')).toEqual([id]);
  });
});

describe('a run', () => {
  it('removes few rows in each step, so others can write in between', async () => {
    const { gateway } = setup;
    const { id } = await gateway.createVerifiableKey(alice, deactivated(401));
    const hours = Array.from({ length: 950 }, (_, hour) => new Date(hour * 3_600_000).toISOString());
    await gateway.createUses(hours.map((hour) => [id, hour, 'valid', 1] as const));
    for (let index = 0; index < 450; index += 1) await gateway.addSecret(id, `older ${index}`, ago(500));
    const db = new Db(gateway.database.em);
    const steps = vi.spyOn(db, 'transaction');
    await remove(db);
    expect(await idsOf('api_key')).toEqual([]);
    // 950 uses and 451 secrets, at most 200 of each in a step; the last step finds nothing.
    expect(cleanUpBatch).toBe(200);
    expect(steps).toHaveBeenCalledTimes(4 + 2 + 1 + 1);
  });

  it('can run at the same time as another, and as counts of the same keys', async () => {
    const { gateway } = setup;
    const made: number[] = [];
    for (let index = 0; index < 20; index += 1)
      made.push((await gateway.createVerifiableKey(alice, deactivated(401 + index))).id);
    const live = await gateway.createApiKey(alice);
    const now = new Date();
    for (const id of [...made, live])
      gateway.keyUsage.note({ keyId: id, secretId: id, at: now, outcome: 'inactive' });
    await Promise.all([remove(), gateway.keyUsage.write(), remove(), remove()]);
    // One that found another at work has ended, and comes again in ten minutes.
    await remove();
    expect(await idsOf('api_key')).toEqual([live]);
    expect((await gateway.uses()).map(([id, , , count]) => [id, count])).toEqual([[live, 1]]);
  });

  it('reads only the index of ended keys', async () => {
    await setup.gateway.createApiKey(alice);
    const { sql } = await recordStatements(setup.gateway.database, remove);
    const searches = sql.filter((text) => text.includes('api_key'));
    expect(searches).toHaveLength(2);
    const connection = setup.gateway.database.em.getConnection();
    const plans: string[] = [];
    // PostgreSQL reads a table with few rows whole and sorts it, unless it may not: which index it then chose would
    // depend on what autovacuum has counted so far.
    const off = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'];
    if (postgres) await connection.execute(off.map((way) => `set ${way} = off`).join('; '));
    for (const text of searches) {
      const explain = postgres ? 'explain (generic_plan)' : 'explain query plan';
      const values = postgres ? [] : Array.from(text.matchAll(/\?/g), () => 1);
      plans.push(JSON.stringify(await connection.execute(`${explain} ${text}`, values)));
    }
    if (postgres) await connection.execute(off.map((way) => `reset ${way}`).join('; '));
    expect(plans[0]).toMatch(/using (covering )?index \W*api_key_ended|Index Scan using api_key_ended/i);
    expect(plans[1]).toMatch(/using (covering )?index \W*api_key_expiry|Index Scan using api_key_expiry/i);
    expect(plans.join()).not.toMatch(/TEMP B-TREE|"Sort/i);
  });

  it('that fails is reported, and the next one finishes it', async () => {
    await setup.gateway.createApiKey(alice, deactivated(401));
    const failures: unknown[] = [];
    const db = new Db(setup.gateway.database.em);
    await using cleanUp = removeEndedKeys(db, keptDays, (error) => failures.push(error));
    vi.spyOn(db, 'transaction').mockRejectedValueOnce(new Error('no database'));
    await cleanUp.run();
    expect(failures).toEqual([new Error('no database')]);
    await cleanUp.run();
    expect(await idsOf('api_key')).toEqual([]);
  });
});
