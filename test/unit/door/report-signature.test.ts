import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VerificationKeys } from '../../../src/auth/verification-keys.ts';
import { readScannerKeys } from '../../../src/door/leak-reports/report-signature.ts';
import { createSigningKey, publishedKeys, type Scanner, startScanner } from '../../support/scanner.ts';

let scanner: Scanner;
let keys: VerificationKeys;
let failures: string[];

const report = { failed: (error: unknown) => void failures.push(`${error}`), recovered: () => {} };

const minute = 60_000;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  failures = [];
  scanner = await startScanner();
  keys = readScannerKeys(scanner.url, report);
});
afterEach(async () => {
  keys[Symbol.dispose]();
  vi.useRealTimers();
  await scanner[Symbol.asyncDispose]();
});

const knows = async (identifier: string): Promise<boolean> => (await keys.find(identifier)) !== undefined;

it('fetches the keys once, and not for each report', async () => {
  for (let turn = 0; turn < 5; turn += 1) expect(await knows('first')).toBe(true);
  expect(await knows('second')).toBe(false);
  expect(scanner.reads).toBe(1);
});

it('an unknown key → the keys are fetched again, at most every ten minutes', async () => {
  expect(await knows('first')).toBe(true);
  scanner.keys = [createSigningKey('second')];
  for (let turn = 0; turn < 100; turn += 1) await knows(`${turn}`);
  expect(await knows('second')).toBe(false);
  expect(scanner.reads).toBe(1);
  vi.advanceTimersByTime(10 * minute);
  expect(await knows('second')).toBe(true);
  // One that is published no more has ceased to count.
  expect(await knows('first')).toBe(false);
  expect(scanner.reads).toBe(2);
});

const failing: [string, (response: ServerResponse) => void][] = [
  ['that is away', (response) => response.destroy()],
  ['that answers an error', (response) => response.writeHead(403).end(JSON.stringify(publishedKeys([])))],
  ['that redirects', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['that answers too much', (response) => response.end(' '.repeat(2 * 1024 * 1024))],
  ['that answers no JSON', (response) => response.end('<html>')],
  ['that answers something else', (response) => response.end('{"keys":[]}')],
  ['without a key', (response) => response.end(JSON.stringify(publishedKeys([])))],
  [
    'with keys of another curve alone',
    (response) => response.end(JSON.stringify(publishedKeys([createSigningKey('first', 'P-384')]))),
  ],
];

describe.each(failing)('a server %s', (_what, answer) => {
  it('no earlier keys → 503, and the failure is reported', async () => {
    scanner.answer = (_request, response) => answer(response);
    await expect(keys.find('first')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(failures).toHaveLength(1);
    scanner.answer = scanner.publish;
    vi.advanceTimersByTime(10 * minute);
    expect(await knows('first')).toBe(true);
  });

  it('earlier keys → they stay in use', async () => {
    expect(await knows('first')).toBe(true);
    scanner.answer = (_request, response) => answer(response);
    vi.advanceTimersByTime(60 * minute);
    expect(await knows('second')).toBe(false);
    expect(await knows('first')).toBe(true);
    expect(failures).toHaveLength(1);
  });
});

it('a slow server → eight searches wait for it, and all others are refused at once', async () => {
  const open: ServerResponse[] = [];
  scanner.answer = (_request, response) => void open.push(response);
  const asked = Array.from({ length: 20 }, () => keys.find('first').catch(({ code }) => code));
  await vi.waitFor(() => expect(open).toHaveLength(1), { timeout: 20_000 });
  expect(await Promise.all(asked.slice(8))).toEqual(Array(12).fill('SERVICE_UNAVAILABLE'));
  open[0]?.end(JSON.stringify(publishedKeys(scanner.keys)));
  const found = await Promise.all(asked.slice(0, 8));
  expect(found.map((key) => key.kid)).toEqual(Array(8).fill('first'));
});

it('a key that cannot be used, or a name such as __proto__ → not found', async () => {
  const odd = createSigningKey('odd', 'secp256k1');
  scanner.answer = (_request, response) => {
    const { public_keys: published } = publishedKeys([...scanner.keys, odd]);
    const broken = { key_identifier: 'broken', key: 'no key', is_current: true };
    response.end(JSON.stringify({ public_keys: [broken, ...published] }));
  };
  const identifiers = ['first', 'odd', 'broken', '__proto__', 'constructor'];
  expect(await Promise.all(identifiers.map(knows))).toEqual([true, false, false, false, false]);
});

it('given keys → nothing is fetched', async () => {
  const given = scanner.keys[0];
  using fixed = readScannerKeys(new Map([['given', given.publicKey]]), report);
  expect((await fixed.find('given'))?.publicKey).toBe(given.publicKey);
  expect(await fixed.find('first')).toBeUndefined();
  expect(scanner.reads).toBe(0);
});
