import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { Db } from '../../src/database/db.ts';
import { readLines } from '../../src/transfer/read-lines.ts';
import { tryKey } from '../../src/transfer/try-key.ts';
import { foreignKey, importTo, sha256, sha512 } from '../support/imports.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const issuer = 'https://id.example.com';
type Values = Readonly<Record<string, unknown>>;
const lineOf = (key: string, values: Values = {}): Values => ({
  ...{ issuer, subject: 'alice' },
  ...{ key_prefix: 'acme_', sha256: sha256(key) },
  ...values,
});
const secretOf = () => randomBytes(20).toString('hex');

const attempt = async (lines: readonly (Values | string)[], key: string) => {
  const chunks = (async function* () {
    yield Buffer.from(
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    );
  })();
  const db = new Db(setup.gateway.database.em);
  const destination = { db, secrets: setup.gateway.secrets, settings: loadConfig({}) };
  return tryKey(destination, readLines(chunks), key, { issuers: [issuer, setup.issuer.config.issuer] });
};

/** Whether a key is accepted once the lines are imported. */
const works = async (lines: readonly (Values | string)[], key: string) => {
  await importTo(setup.gateway, lines, { issuers: [issuer, setup.issuer.config.issuer] });
  const headers = { 'x-api-key': key };
  return (await setup.gateway.rest('GET', '/keys/authorize', { headers })).status === 200;
};

const hashedAfter = (after: string) => ({ hashed_part: { after } });
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const secret = secretOf();
const key = `acme_live_${secret}`;
const hexKey = secretOf();
const later = { expires_at: '2999-01-01T00:00:00Z' };
const sums = (of: string | Buffer) => createHash('sha256').update(of).digest('hex');

it.each<[string, readonly Values[], string, string, boolean]>([
  ['its SHA-256', [lineOf(key)], key, 'line 1 is this key', true],
  ['its SHA-256 in base64', [lineOf(key, { sha256: base64(sha256(key)) })], key, 'line 1 is this key', true],
  ['its SHA-512', [lineOf(key, { sha256: null, sha512: sha512(key) })], key, 'line 1 is this key', true],
  ['its text', [lineOf(key, { sha256: null, key })], key, 'line 1 is this key', true],
  [
    'the hash of a part, and says so',
    [
      lineOf(foreignKey()),
      lineOf('', { key_prefix: 'acme_live_', sha256: sha256(secret), ...hashedAfter('_') }),
    ],
    key,
    'line 2 is this key',
    true,
  ],
  [
    'a refused line before a good one',
    [lineOf(key, { subject: '' }), lineOf(key, later)],
    key,
    'line 2 is this key',
    true,
  ],
  [
    'the hash of a part, and does not say so',
    [lineOf('', { key_prefix: 'acme_live_', sha256: sha256(secret) })],
    key,
    'line 1: its hash is of the last 40 characters of this key: it needs "key_prefix":"acme_live_","hashed_part":{"after":"_"}',
    false,
  ],
  [
    'the SHA-512 of a part with the separator in it',
    [lineOf('', { sha256: null, sha512: sha512('ab_cd_ef') })],
    'x_ab_cd_ef',
    'line 1: its hash is of the last 8 characters of this key: it needs "key_prefix":"x_","hashed_part":{"after":"x_"}',
    false,
  ],
  [
    'the hash of a part, after something that occurs again',
    [lineOf('', { sha256: sha256('aaaa') })],
    'aaaaaaa',
    'line 1: its hash is of the last 4 characters of this key, which cannot be looked up',
    false,
  ],
  [
    'the hash of a part after a wrong text',
    [lineOf('', { key_prefix: 'acme_', sha256: sha256(secret), ...hashedAfter('_') })],
    key,
    'line 1: its hash is of the last 40 characters of this key: it needs "key_prefix":"acme_live_","hashed_part":{"after":"_"}',
    false,
  ],
  [
    'its hash with another prefix',
    [lineOf(key, { key_prefix: 'other_' })],
    key,
    'line 1: it is this key, but is looked up otherwise: the key does not begin with key_prefix, or hashed_part is wrong',
    false,
  ],
  [
    'the hash of the whole key, and says that it is of a part',
    [lineOf(key, hashedAfter('_'))],
    key,
    'line 1: it is this key, but is looked up otherwise: the key does not begin with key_prefix, or hashed_part is wrong',
    false,
  ],
  [
    'the hash of the key and a line break',
    [lineOf(`${key}\n`)],
    key,
    'line 1: its hash is of this key and a line break: hash the key without one',
    false,
  ],
  [
    'the hash of the key in capitals',
    [lineOf(key.toUpperCase())],
    key,
    'line 1: its hash is of this key in capitals, which cannot be looked up',
    false,
  ],
  [
    'the hash of the bytes of a hexadecimal key',
    [lineOf('', { sha256: sums(Buffer.from(hexKey, 'hex')) })],
    hexKey,
    'line 1: its hash is of the bytes of this hexadecimal key, which cannot be looked up',
    false,
  ],
  [
    'an inactive key',
    [lineOf(key, { is_active: false })],
    key,
    'line 1 is this key, and is_active is false',
    false,
  ],
  [
    'a paused key',
    [lineOf(key, { paused_at: '2026-01-31T12:00:00Z', paused_by: 'owner' })],
    key,
    'line 1 is this key, and paused_at is set',
    false,
  ],
  [
    'an expired key',
    [lineOf(key, { expires_at: '2020-01-01T00:00:00Z' })],
    key,
    'line 1 is this key, and expires_at is over',
    false,
  ],
  [
    'the key and a fault',
    [lineOf(key, { issuer: 'https://other.example.com' })],
    key,
    'line 1: it is this key. issuer: Must be an issuer in AUTH_ISSUER or AUTH_ISSUERS.',
    false,
  ],
  [
    'nothing of it',
    [lineOf(foreignKey()), lineOf('', { sha256: 'x' })],
    key,
    'no line has a hash of this key or of a part of it',
    false,
  ],
  ['nothing at all', [], key, 'no line has a hash of this key or of a part of it', false],
])('a file with %s', async (_what, lines, tried, why, isAccepted) => {
  const before = await setup.stored();
  // Lines that are no JSON, empty or too long change nothing of it.
  const among = [...lines, '', 'x', `"${tried}"`, 'null', ' '.repeat(70_000)];
  expect(await attempt(among, tried)).toEqual({ isAccepted, why });
  expect(await setup.stored()).toEqual(before);
  expect(await works(among, tried)).toBe(isAccepted);
});

it('what is said to be needed makes the key work', async () => {
  const { why } = await attempt([lineOf('', { sha256: sha256(secret) })], key);
  const needed = JSON.parse(`{${why.split('it needs ')[1]}}`);
  const lines = [lineOf('', { sha256: sha256(secret), ...needed })];
  expect(await attempt(lines, key)).toEqual({ isAccepted: true, why: 'line 1 is this key' });
  expect(await works(lines, key)).toBe(true);
});

it('a key that is here already → its state here, whatever the file says', async () => {
  const lines = [lineOf(key, { issuer: setup.issuer.config.issuer })];
  await importTo(setup.gateway, lines);
  const here = { isAccepted: true, why: 'it is here already: key 1' };
  expect(await attempt([lineOf(key, { is_active: false })], key)).toEqual(here);
  expect(await attempt([], key)).toEqual(here);
  await setup.gateway.rest('DELETE', '/auth/keys/1', { token: await setup.sign() });
  expect(await attempt(lines, key)).toEqual({
    isAccepted: false,
    why: 'it is here already: key 1, which is refused (inactive)',
  });
});

it('a key that was made here', async () => {
  const { secret: own, id } = await setup.gateway.createVerifiableKey(
    await setup.gateway.createAccount('alice'),
  );
  expect(await attempt([lineOf(own)], own)).toEqual({
    isAccepted: true,
    why: `it is here already: key ${id}`,
  });
});

it.each<[string, string]>([
  ['no characters', ''],
  ['too many characters', 'x'.repeat(1001)],
  ['a space at its end', `${key} `],
  ['a line break in it', `acme_\n${secret}`],
  ['letters beyond ASCII', `acme_é${secret}`],
])('a key of %s → refused: no header can carry it', async (_what, tried) => {
  const why = 'a key has 1 to 1000 visible ASCII characters';
  expect(await attempt([lineOf(tried)], tried)).toEqual({ isAccepted: false, why });
});

it('the text that is stored in place of a key is no key', async () => {
  const lines = [lineOf(key, { key_prefix: 'plain' })];
  await importTo(setup.gateway, lines);
  const tried = `sha256:${sha256(key)}`;
  const expected = { isAccepted: false, why: 'no line has a hash of this key or of a part of it' };
  expect(await attempt(lines, tried)).toEqual(expected);
});

it('of several lines with the key, the first counts, as in the import', async () => {
  for (const first of [
    { is_active: false },
    { expires_at: '2020-01-01T00:00:00Z' },
    { subject: 'bob', is_active: false },
  ])
    expect((await attempt([lineOf(key, first), lineOf(key)], key)).isAccepted).toBe(false);
  const lines = [lineOf(key, { is_active: false }), lineOf(key)];
  expect(await works(lines, key)).toBe(false);
});

it('a form that another line brings lets the key be looked up', async () => {
  const lines = [lineOf(key, { key_prefix: 'zzz_' }), lineOf(foreignKey(), { key_prefix: 'plain' })];
  expect(await attempt(lines, key)).toEqual({ isAccepted: true, why: 'line 1 is this key' });
  expect(await works(lines, key)).toBe(true);
});

it('a key of a blocked account', async () => {
  const alice = await setup.gateway.createAccount('alice');
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  await setup.gateway.rest('POST', `/admin/accounts/${alice}/block`, { token, json: { reason: 'unpaid' } });
  const lines = [lineOf(key, { issuer: setup.issuer.config.issuer })];
  const why = 'line 1 is this key, and its account is blocked';
  expect(await attempt(lines, key)).toEqual({ isAccepted: false, why });
  expect(await works(lines, key)).toBe(false);
});

it('the longest key, all of the same character, is answered like any other', async () => {
  const long = '|'.repeat(1000);
  expect((await attempt([lineOf(long, { key_prefix: '|' })], long)).isAccepted).toBe(true);
  expect((await attempt([lineOf('|'.repeat(900))], long)).why).toContain('the last 900 characters');
  expect((await attempt([lineOf(createApiKeySecret())], long)).isAccepted).toBe(false);
});
