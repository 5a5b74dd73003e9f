import { afterEach, expect, it, vi } from 'vitest';
import { knowImportedForms } from '../../../src/api-keys/verify/imported-keys.ts';
import { Db } from '../../../src/database/db.ts';
import { exportFrom, foreignKey, importTo, sha256 } from '../../support/imports.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const setup = setUpTwoNodes();

afterEach(() => void vi.useRealTimers());

const lineOf = (key: string, subject = 'alice') => ({
  issuer: setup.issuer.config.issuer,
  subject,
  key_prefix: key.slice(0, 10),
  sha256: sha256(key),
});

it('a key imported on one node is valid on both at once', async () => {
  const [one, other] = setup.nodes;
  const keys = Array.from({ length: 20 }, foreignKey);
  await importTo(
    one,
    keys.map((key) => lineOf(key)),
  );
  const ask = (node: typeof one, key: string) =>
    node.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key } });
  expect((await ask(other, keys[0] ?? '')).status).toBe(401);
  await other.importedKeys.read();
  const calls = keys.flatMap((key) => [ask(one, key), ask(other, key), ask(other, key), ask(one, key)]);
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(80).fill(200));
  // Of one that is rotated through one node meanwhile, the other knows at once.
  const json = { grace_seconds: 0 };
  await one.rest('POST', '/auth/keys/1/rotate', { token: await setup.issuer.sign(), json });
  expect((await ask(other, keys[0] ?? '')).status).toBe(401);
  await importTo(other, [lineOf(keys[0] ?? '')]);
  expect((await ask(one, keys[0] ?? '')).status).toBe(401);
});

it('a node notices it within five seconds without a request', async () => {
  const [one, other] = setup.nodes;
  const key = foreignKey();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const failures: unknown[] = [];
  await using forms = knowImportedForms(new Db(other.database.em), (error) => failures.push(error));
  await importTo(one, [lineOf(key)]);
  vi.advanceTimersByTime(4999);
  await new Promise(setImmediate);
  expect(forms.waysOf(key)).toEqual([]);
  vi.advanceTimersByTime(1);
  await vi.waitFor(() => expect(forms.waysOf(key)).toHaveLength(1), { timeout: 20_000 });
  expect(failures).toEqual([]);
});

it('two imports of the same file at once create nothing twice', async () => {
  const [one, other] = setup.nodes;
  const keys = Array.from({ length: 1200 }, foreignKey);
  const lines = keys.map((key, index) => lineOf(key, `user-${index % 100}`));
  const outcomes = await Promise.all([importTo(one, lines), importTo(other, lines.toReversed())]);
  expect(outcomes.reduce((sum, { made }) => sum + made, 0)).toBe(1200);
  expect(outcomes.map(({ made, known, refused }) => [made + known, refused])).toEqual([
    [1200, []],
    [1200, []],
  ]);
  expect(await exportFrom(one)).toHaveLength(1200);
  expect(await one.rows('account')).toHaveLength(100);
  const defaults = (await one.rows('api_key')).filter((row) => row['is_default']);
  expect(defaults).toHaveLength(100);
});

it('an import while people create keys leaves each account one default', async () => {
  const [one, other] = setup.nodes;
  await other.verificationKeys.refresh();
  const token = await setup.issuer.sign();
  const create = () => other.rest('POST', '/auth/keys', { token, json: {} });
  const [outcome, ...answers] = await Promise.all([
    importTo(
      one,
      Array.from({ length: 600 }, () => lineOf(foreignKey())),
    ),
    ...Array.from({ length: 10 }, create),
  ]);
  expect(outcome).toEqual({ made: 600, known: 0, refused: [] });
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
  expect((await one.rows('api_key')).filter((row) => row['is_default'])).toHaveLength(1);
});
