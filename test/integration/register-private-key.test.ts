import { describe, expect, it } from 'vitest';
import { dropTable } from '../support/database.ts';
import type { Answer } from '../support/gateway.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const query = `mutation ($privateKey: String!) {
  registerPrivateKey(privateKey: $privateKey) { hasKey createdAt updatedAt }
}`;

const key = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const otherKey = 'FD1C2F9B60B5A7A5A6A0C0B7A0D9E8F7E6D5C4B3A2918070605040302010FF0E';

const rest = async (privateKey: unknown, sub = 'alice'): Promise<Answer> =>
  setup.gateway.rest('POST', '/auth/private-key', {
    token: await setup.sign({ sub }),
    json: { private_key: privateKey },
  });

const graphql = async (privateKey: unknown): Promise<Answer> =>
  setup.gateway.graphql(query, { token: await setup.sign(), variables: { privateKey } });

/** The private keys that are stored, opened. */
const storedKeys = async (): Promise<string[]> => {
  const rows = await setup.gateway.rows('private_key');
  return Promise.all(
    rows.map(async (row) => {
      const opened = await setup.gateway.secrets.sealer.open(String(row['sealed_key']), {
        purpose: 'private-key',
        accountId: Number(row['account_id']),
        rowId: Number(row['id']),
        version: Number(row['encryption_version']),
      });
      return Buffer.from(opened).toString();
    }),
  );
};

const audit = () => setup.gateway.rows('audit_event');
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('201 over REST', () => {
  it('stores the key sealed, and answers its status and Location', async () => {
    const answer = await rest(key);
    expect(answer).toMatchObject({
      status: 201,
      body: { has_key: true, created_at: moment, updated_at: moment },
    });
    expect(answer.headers.get('location')).toBe('/api/v1/auth/private-key');
    expect(await storedKeys()).toEqual([key]);
    expect(await audit()).toMatchObject([
      { account_id: 1, action: 'account-created' },
      { account_id: 1, action: 'private-key-registered', target: null },
    ]);
  });

  it.each([
    ['without 0x, in capitals', otherKey],
    ['the least', '1'.padStart(64, '0')],
    ['the greatest', 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140'],
  ])('keeps a key as it was given: %s', async (_name, given) => {
    expect((await rest(given)).status).toBe(201);
    expect(await storedKeys()).toEqual([given]);
  });

  it('replaces a key in one step, and keeps the time of the first', async () => {
    const first = await rest(key);
    await setup.gateway.database.em
      .fork()
      .execute('update private_key set created_at = ?, updated_at = ?', [
        new Date('2026-01-31T12:00:00.000Z'),
        new Date('2026-01-31T12:00:00.000Z'),
      ]);
    const second = await rest(otherKey);
    expect(first.status).toBe(201);
    expect(second.body).toMatchObject({ has_key: true, created_at: '2026-01-31T12:00:00.000Z' });
    expect(Date.parse(second.body.updated_at)).toBeGreaterThan(Date.parse('2026-02-01'));
    expect(await storedKeys()).toEqual([otherKey]);
  });

  it('leaves other accounts alone', async () => {
    await rest(key, 'bob');
    await rest(otherKey);
    expect(await storedKeys()).toEqual([key, otherKey]);
    expect(await setup.gateway.rows('private_key')).toMatchObject([{ account_id: 1 }, { account_id: 2 }]);
  });

  it('many at once → one whole key', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `${index + 1}`.padStart(64, '0'));
    const answers = await Promise.all(keys.map((one) => rest(one)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const [stored, ...others] = await storedKeys();
    expect(keys).toContain(stored);
    expect(others).toEqual([]);
  });

  it('the key is in no answer, log line, audit event or unsealed column', async () => {
    const texts = [await rest(key), await graphql(key), await rest(`${key}0`)].map(({ text }) => text);
    const everything = JSON.stringify([texts, setup.gateway.log(), await setup.stored()]);
    expect(everything).not.toContain(key.slice(2));
  });
});

describe('200 over GraphQL', () => {
  it('stores the key, and answers its status', async () => {
    const answer = await graphql(key);
    const status = { hasKey: true, createdAt: moment, updatedAt: moment };
    expect(answer).toMatchObject({ status: 200, body: { data: { registerPrivateKey: status } } });
    expect(await storedKeys()).toEqual([key]);
  });
});

describe('422', () => {
  const message = 'Must be a private key: 64 hexadecimal digits, with or without a leading 0x.';
  it.each([
    '',
    ' ',
    key.slice(0, -1),
    `${key}0`,
    ` ${key}`,
    `${key}\n`,
    `0X${key.slice(2)}`,
    key.replace('4', 'g'),
    '0'.repeat(64),
    'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141',
    'f'.repeat(64),
    '٤'.repeat(64),
    'x'.repeat(60_000),
  ])('the text %j → 422', async (given) => {
    const before = await setup.stored();
    const answer = await rest(given);
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'private_key'], msg: message, type: 'string_pattern_mismatch' }] },
    });
    const twin = await graphql(given);
    const issues = [{ path: ['privateKey'], message, type: 'string_pattern_mismatch' }];
    expect(twin.body.errors).toMatchObject([
      { message: `privateKey: ${message}`, extensions: { code: 'BAD_USER_INPUT', issues } },
    ]);
    expect(await setup.stored()).toEqual(before);
  });

  it.each([
    [5, 'string_type'],
    [null, 'string_type'],
    [[key], 'string_type'],
    [undefined, 'missing'],
  ])('the value %j, which is no text → 422', async (given, type) => {
    expect(await rest(given)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'private_key'], type }] },
    });
  });
});

describe('a change whose audit event cannot be written', () => {
  it('is not made', async () => {
    await setup.gateway.createAccount('alice');
    await dropTable(setup.gateway.database, 'audit_event');
    expect((await rest(key)).status).toBe(500);
    expect(await setup.gateway.rows('private_key')).toEqual([]);
  });
});
