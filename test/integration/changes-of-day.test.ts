import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VerificationKeys } from '../../src/auth/verification-keys.ts';
import { readScannerKeys } from '../../src/door/leak-reports/report-signature.ts';
import { setClocks } from '../support/database-clock.ts';
import { callerOf, trailOf } from '../support/operators.ts';
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
afterEach(() => {
  vi.useRealTimers();
});

const most = 5;
const keys = { find: (identifier: unknown) => scannerKeys.find(identifier) };
const setup = setUpGateway({ changesPerDay: most, leakReports: { act: 'mark', keys } });

const rest = async (method: string, path: string, json?: object, sub = 'alice', headers = {}) => {
  const token = await setup.sign({ sub });
  return setup.gateway.rest(method, path, { token, headers, ...(json && { json }) });
};

const create = async (sub = 'alice') => (await rest('POST', '/auth/keys', {}, sub)).status;

const statusesOf = async (times: number, call: () => Promise<number>) => {
  const statuses: number[] = [];
  for (let sent = 0; sent < times; sent += 1) statuses.push(await call());
  return statuses;
};

/** The numbers that the events of an account have, the oldest first. */
const numbersOf = async (account: number) =>
  (await trailOf(setup, account)).map((row) => Number(row['of_day']) % 1_000_000_000).reverse();

/** Makes all changes of alice's that the day has left; the first one makes her account as well. */
const useUp = async () => expect(await statusesOf(most - 1, create)).toEqual([201, 201, 201, 201]);

describe('an account that has made all changes of a day', () => {
  const call = callerOf(setup);
  const alice = { sub: 'alice' };

  it('one more → 429, and nothing is written', async () => {
    await useUp();
    const before = await setup.stored();
    const refused = await call('createApiKey', {}, alice);
    expect(refused).toMatchObject({
      message: 'You may make at most 5 changes in a day (UTC)',
      status: 429,
    });
    for (const [operation, input] of [
      ['updateApiKey', { keyId: 1, name: 'Desk' }],
      ['rotateApiKey', { keyId: 1 }],
      ['setDefaultApiKey', { keyId: 2 }],
      ['registerPrivateKey', { privateKey: '1'.padStart(64, '0') }],
      ['updateAutomationSettings', { isEnabled: true }],
    ] as const)
      expect([operation, (await call(operation, input, alice)).status]).toEqual([operation, 429]);
    expect(await setup.stored()).toEqual(before);
    expect(setup.gateway.log().at(-1)).toMatchObject({ reason: 'changes-per-day', accountId: 1 });
  });

  it('can still read; a call that changes nothing is not counted', async () => {
    await useUp();
    expect((await call('apiKey', { keyId: 1 }, alice)).code).toBe('OK');
    expect((await call('updateApiKey', { keyId: 1 }, alice)).code).toBe('OK');
    expect((await call('setDefaultApiKey', { keyId: 1 }, alice)).code).toBe('OK');
  });

  it('can still deactivate keys and remove the private key', async () => {
    expect((await call('registerPrivateKey', { privateKey: '1'.padStart(64, '0') }, alice)).code).toBe('OK');
    expect(await statusesOf(3, create)).toEqual([201, 201, 201]);
    expect(await create()).toBe(429);
    expect((await call('deactivateApiKey', { keyId: 1 }, alice)).code).toBe('OK');
    expect((await call('removePrivateKey', {}, alice)).code).toBe('OK');
    expect((await call('deactivateApiKey', { keyId: 2 }, alice)).code).toBe('OK');
    expect(await create()).toBe(429);
    expect(await numbersOf(1)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('actions of operators are not counted', async () => {
    await useUp();
    const operator = { sub: 'olivia', scope: 'keyward.admin' };
    for (let turn = 0; turn < most; turn += 1) {
      expect((await call('blockAccount', { id: 1, reason: 'Abuse' }, operator)).code).toBe('OK');
      expect((await call('unblockAccount', { id: 1, reason: 'Abuse' }, operator)).code).toBe('OK');
    }
    const numbers = await numbersOf(1);
    expect(numbers).toHaveLength(3 * most);
    expect(numbers.slice(most)).toEqual(numbers.slice(most).fill(most));
    expect(await numbersOf(2)).toEqual(Array(2 * most + 1).fill(1));
    expect(await create()).toBe(429);
    expect(await create('olivia')).toBe(201);
  });
});

it('Retry-After lasts to the end of the day (UTC)', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await setClocks(setup.gateway.database, '2026-03-31T23:59:00.000Z');
  await useUp();
  const refused = await rest('POST', '/auth/keys', {});
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(refused.body).toEqual({ detail: 'You may make at most 5 changes in a day (UTC)' });
  const token = await setup.sign();
  const graphql = await setup.gateway.graphql('mutation { createApiKey { key } }', { token });
  expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([429, '60']);
  expect(graphql.body.errors[0].extensions.code).toBe('TOO_MANY_REQUESTS');
});

describe('the count of changes', () => {
  it.each([
    ['the next day', '2026-03-31T23:59:59.999Z', '2026-04-01T00:00:00.000Z'],
    ['a year later', '2026-03-31T12:00:00.000Z', '2027-03-31T12:00:00.000Z'],
    ['the day before, where the clock is set back', '2026-03-31T12:00:00.000Z', '2026-03-30T12:00:00.000Z'],
  ])('starts again on another day: %s', async (_day, first, second) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await setClocks(setup.gateway.database, first);
    await useUp();
    expect(await create()).toBe(429);
    await setClocks(setup.gateway.database, second);
    expect(await statusesOf(most + 1, create)).toEqual([201, 201, 201, 201, 201, 429]);
  });

  it('lasts the whole day', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await setClocks(setup.gateway.database, '2026-03-31T00:00:00.000Z');
    await useUp();
    await setClocks(setup.gateway.database, '2026-03-31T23:59:59.999Z');
    expect(await create()).toBe(429);
  });

  it('is separate for each account', async () => {
    await useUp();
    expect([await create(), await create('bob')]).toEqual([429, 201]);
  });

  it('is not changed by a leak report', async () => {
    const account = await setup.gateway.createAccount('alice');
    const found = [
      await setup.gateway.createVerifiableKey(account),
      await setup.gateway.createVerifiableKey(account),
    ];
    expect(await statusesOf(2, create)).toEqual([201, 201]);
    const report = scanner.report(found.map(({ secret }) => matchOf(secret)));
    expect((await setup.gateway.rest('POST', '/keys/leaks', report)).status).toBe(200);
    expect(await numbersOf(account)).toEqual([1, 2, 2, 2]);
    expect(await statusesOf(4, create)).toEqual([201, 201, 201, 429]);
  });

  it('does not count a replayed answer', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const keyed = () => rest('POST', '/auth/keys', {}, 'alice', key);
    const first = await keyed();
    expect(await statusesOf(most - 2, create)).toEqual([201, 201, 201]);
    const again = await keyed();
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await create()).toBe(429);
    // What was refused was not kept as an answer.
    const another = { 'idempotency-key': randomUUID() };
    expect((await rest('POST', '/auth/keys', {}, 'alice', another)).status).toBe(429);
    expect(await setup.gateway.rows('idempotency_record')).toHaveLength(1);
  });

  it('is exact for many changes at once, and other accounts are not affected', async () => {
    await Promise.all([create('alice'), create('bob')]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => [create('alice'), create('bob'), create('carol')]).flat(),
    );
    expect(answers.filter((status) => status === 201)).toHaveLength(most - 2 + (most - 2) + (most - 1));
    expect(answers.filter((status) => status === 429)).toHaveLength(17 + 17 + 16);
    for (const account of [1, 2, 3]) expect(await numbersOf(account)).toEqual([1, 2, 3, 4, 5]);
    expect(await setup.gateway.rows('api_key')).toHaveLength(3 * (most - 1));
    expect(await create('dora')).toBe(201);
  });

  it('takes no statement of its own', async () => {
    await create();
    const { sql } = await recordStatements(setup.gateway.database, () =>
      rest('PATCH', '/auth/keys/1', { name: 'Desk' }),
    );
    expect(sql.filter((text) => text.includes('audit_event'))).toHaveLength(1);
  });
});
