import { describe, expect, it } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { foreignKey, importTo, sha256, sha512 } from '../support/imports.ts';
import { everything, everythingTold } from '../support/key-suite.ts';
import { callerOf, sidesOf } from '../support/operators.ts';
import { basic, createServer, withAuthorization } from '../support/servers.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const mover = createServer('mover', 'keys.import');
const setup = setUpGateway({ servers: [mover] });

const server = { sub: 'mover', scope: 'keys.import' };
const call = callerOf(setup);

const line = { issuer: 'https://id.example.com', subject: 'alice', key_prefix: 'acme_live_' };

const inputOf = (key: string, values: object = {}) => ({
  issuer: setup.issuer.config.issuer,
  subject: 'zoe',
  key,
  keyPrefix: 'acme_live_',
  ...values,
});
const bring = (key: string, values: object = {}) => call('importApiKey', inputOf(key, values), server);

const authorize = async (key: string) => {
  await setup.gateway.importedKeys.read();
  const headers = { 'x-api-key': key };
  return (await setup.gateway.rest('GET', '/keys/authorize', { headers })).status;
};
const trail = async () =>
  (await setup.gateway.rows('audit_event')).map(({ action, actor, target }) => [action, actor, target]);

describe.each([...sidesOf(setup)])('over %s', (_side, send) => {
  it('a key of somebody who has never called → the account and the key, once', async () => {
    const key = foreignKey();
    const first = await send('importApiKey', inputOf(key), server);
    expect(first).toMatchObject({ code: 'OK', data: { keyId: 1, userId: 1, isNew: true } });
    const second = await send('importApiKey', inputOf(key, { name: 'Other' }), server);
    expect(second).toMatchObject({ code: 'OK', data: { keyId: 1, userId: 1, isNew: false } });
    expect(await authorize(key)).toBe(200);
    expect(await trail()).toEqual([
      ['account-created', 'provider', null],
      ['api-key-created', 'provider', 1],
    ]);
    const { body } = await setup.gateway.rest('GET', '/auth/keys/1', {
      token: await setup.sign({ sub: 'zoe' }),
    });
    expect(body).toMatchObject({ key_prefix: 'acme_live_', name: null, is_active: true, is_default: true });
  });
});

const rest = async (json: object, authorization = basic('mover', mover.secret)) =>
  withAuthorization(setup.gateway, authorization).rest('POST', '/keys/import', { json });
const restOf = (key: string, values: object = {}) => ({
  ...{ issuer: setup.issuer.config.issuer, subject: 'zoe', key, key_prefix: 'acme_live_' },
  ...values,
});

it('has all properties that a key can have', async () => {
  const created_at = '2020-01-31T12:00:00.000Z';
  const { status, body } = await rest(restOf(foreignKey(), { ...everything, created_at }));
  expect({ status, body }).toEqual({ status: 200, body: { key_id: 1, user_id: 1, is_new: true } });
  const read = await setup.gateway.rest('GET', '/auth/keys/1', { token: await setup.sign({ sub: 'zoe' }) });
  expect(read.body).toMatchObject({ ...everythingTold, created_at });
  const [, event] = await setup.gateway.rows('audit_event');
  expect(event).toMatchObject({ action: 'api-key-created', actor: 'provider', server: 'mover' });
  expect(JSON.parse(`${event?.['details']}`).map(({ field }: { field: string }) => field)).toEqual(
    Object.keys(everything)
      .filter((part) => part !== 'quota' && part !== 'expires_at')
      .concat('expires_at', 'quota'),
  );
});

it('its secret is stored as a digest only, and is in no log line', async () => {
  const key = foreignKey();
  await rest(restOf(key));
  const rows = Object.values(await setup.stored()).flatMap((found) => found.flatMap(Object.values));
  const bytes = rows.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)));
  for (const text of [key, sha256(key)]) expect(bytes.filter((each) => each.includes(text))).toEqual([]);
  expect(JSON.stringify(setup.gateway.log())).not.toContain(key);
});

it('ten calls at once, as ten requests with one key cause them → one key, one event', async () => {
  const key = foreignKey();
  const made = await Promise.all(Array.from({ length: 10 }, () => bring(key)));
  expect(made.map(({ code, data }) => [code, data?.keyId])).toEqual(Array(10).fill(['OK', 1]));
  expect(made.filter(({ data }) => data.isNew)).toHaveLength(1);
  expect(await trail()).toEqual([
    ['account-created', 'provider', null],
    ['api-key-created', 'provider', 1],
  ]);
});

it('the same key for two people at once → one of them has it, the other call is refused', async () => {
  const key = foreignKey();
  await setup.gateway.createAccount('zoe');
  await setup.gateway.createAccount('yan');
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, at) => bring(key, { subject: at % 2 ? 'yan' : 'zoe' })),
  );
  const codes = Map.groupBy(made, ({ code }) => code);
  expect([codes.get('OK')?.length, codes.get('CONFLICT')?.length]).toEqual([4, 4]);
  expect(codes.get('CONFLICT')?.[0]?.message).toBe('The key belongs to another account');
  expect(await setup.gateway.rows('api_key')).toHaveLength(1);
});

it.each<[string, (key: string) => Promise<unknown>]>([
  ['imported by its SHA-256', (key) => importTo(setup.gateway, [{ ...line, sha256: sha256(key) }])],
  ['imported by its SHA-512', (key) => importTo(setup.gateway, [{ ...line, sha512: sha512(key) }])],
  [
    'imported by the hash of a part',
    (key) =>
      importTo(setup.gateway, [
        { ...line, sha256: sha256(key.slice('acme_live_'.length)), hashed_part: { after: '_' } },
      ]),
  ],
])('a key that was %s → known', async (_what, before) => {
  const key = foreignKey();
  await before(key);
  const owner = { issuer: line.issuer, subject: line.subject };
  expect((await bring(key, owner)).data).toMatchObject({ keyId: 1, isNew: false });
  expect((await bring(key)).code).toBe('CONFLICT');
});

it('a key that was made here → known, and another account cannot get it', async () => {
  const { body } = await setup.gateway.rest('POST', '/auth/keys', {
    token: await setup.sign({ sub: 'zoe' }),
    json: {},
  });
  const own = { keyPrefix: body.key_prefix };
  expect((await bring(body.key, own)).data).toMatchObject({ keyId: body.id, isNew: false });
  expect((await bring(body.key, { ...own, subject: 'yan' })).code).toBe('CONFLICT');
  expect((await setup.gateway.rows('account')).map(({ subject }) => subject)).toEqual(['zoe']);
});

it('a key that was made here and replaced does not come back, for nobody', async () => {
  const token = await setup.sign({ sub: 'zoe' });
  const { body } = await setup.gateway.rest('POST', '/auth/keys', { token, json: {} });
  await setup.gateway.rest('POST', `/auth/keys/${body.id}/rotate`, { token, json: {} });
  const before = await setup.stored();
  for (const key of [body.key, createApiKeySecret()])
    for (const subject of ['zoe', 'yan'])
      expect(await bring(key, { keyPrefix: 'sk-', subject })).toMatchObject({
        code: 'CONFLICT',
        message: 'The key has the form of a key that was made here, and has ended if it is one',
      });
  expect(await setup.stored()).toEqual(before);
});

it('the account of a key is the one that a verification names, if a key was imported twice', async () => {
  const key = foreignKey();
  const half = { sha256: sha256(key.slice('acme_live_'.length)), hashed_part: { after: '_' } };
  await importTo(setup.gateway, [
    { ...line, ...half, subject: 'bob' },
    { ...line, sha512: sha512(key) },
  ]);
  const headers = { 'x-api-key': key };
  const { body } = await setup.gateway.rest('GET', '/keys/self', { headers });
  const owners = { 1: 'bob', 2: 'alice' } as const;
  const owner = owners[body.id as 1];
  for (const subject of ['alice', 'bob'])
    expect((await bring(key, { issuer: line.issuer, subject })).code).toBe(
      subject === owner ? 'OK' : 'CONFLICT',
    );
});

it('a key that has ended stays ended', async () => {
  const key = foreignKey();
  await bring(key);
  await setup.gateway.rest('DELETE', '/auth/keys/1', { token: await setup.sign({ sub: 'zoe' }) });
  expect((await bring(key)).data).toMatchObject({ isNew: false });
  expect(await authorize(key)).toBe(401);
});

it('a blocked account gets the key, which stays refused; an erased person has a new account', async () => {
  const zoe = await setup.gateway.createAccount('zoe');
  const json = { reason: 'unpaid' };
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  await setup.gateway.rest('POST', `/admin/accounts/${zoe}/block`, { token, json });
  const key = foreignKey();
  expect((await bring(key)).data).toMatchObject({ userId: zoe, isNew: true });
  expect(await authorize(key)).toBe(403);
  await setup.gateway.rest('DELETE', `/admin/accounts/${zoe}`, { token });
  await setup.gateway.erasures.run();
  const again = await bring(key);
  expect(again).toMatchObject({ code: 'OK', data: { isNew: true } });
  expect(again.data.userId).not.toBe(zoe);
});

describe('422', () => {
  const key = foreignKey();
  it.each<[string, object, string, string]>([
    ['no issuer', { issuer: undefined }, 'issuer', 'Required.'],
    ['an empty subject', { subject: '' }, 'subject', 'Must not be empty.'],
    [
      'a key with a space',
      { key: `acme_live_ ${key}` },
      'key',
      'Must be 1 to 1000 visible ASCII characters.',
    ],
    ['a key beyond ASCII', { key: `${key}ü` }, 'key', 'Must be 1 to 1000 visible ASCII characters.'],
    ['an empty key', { key: '' }, 'key', 'Must be 1 to 1000 visible ASCII characters.'],
    [
      'a key that is nearly told',
      { key: 'acme_live_123456789012345' },
      'key',
      'Must have at least 16 characters more than its prefix.',
    ],
    ['another prefix', { key_prefix: 'other_' }, 'key_prefix', 'Must be the beginning of the key.'],
    [
      'a long prefix',
      { key: 'k'.repeat(100), key_prefix: 'k'.repeat(65) },
      'key_prefix',
      'Must be 1 to 64 visible ASCII characters.',
    ],
    [
      'made in the future',
      { created_at: '2999-01-01T00:00:00Z' },
      'created_at',
      'Must not be in the future.',
    ],
    ['that has expired', { expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'Must be in the future.'],
  ])('%s → 422, and nothing is written', async (_what, values, member, message) => {
    const { status, body } = await rest(restOf(key, values));
    expect({ status, loc: body.detail[0].loc, msg: body.detail[0].msg }).toEqual({
      status: 422,
      loc: ['body', member],
      msg: message,
    });
    expect(JSON.stringify(body)).not.toContain(key);
    expect(await setup.gateway.rows('account')).toEqual([]);
  });

  it('too much together', async () => {
    const { status, body } = await rest(
      restOf(key, {
        metadata: { note: 'y'.repeat(2000) },
        allowed_addresses: Array.from(
          { length: 50 },
          (_, index) => `2001:0db8:1234:5678:9abc:def0:1234:${1000 + index}/128`,
        ),
      }),
    );
    expect([status, body.detail[0].type]).toEqual([422, 'too_long']);
    expect(await setup.gateway.rows('account')).toEqual([]);
  });
});

describe('with known issuers', () => {
  const known = setUpGateway({ knownIssuers: [{ issuer: 'https://id.example.com' }] });

  it('another issuer → 422, and no account', async () => {
    const { code, issues } = await callerOf(known)(
      'importApiKey',
      inputOf(foreignKey(), { issuer: 'https://other.example.com' }),
      server,
    );
    expect({ code, path: issues?.[0]?.path }).toEqual({ code: 'BAD_USER_INPUT', path: ['issuer'] });
    expect(await known.gateway.rows('account')).toEqual([]);
  });
});

describe('with sealed copies', () => {
  const sealing = setUpGateway({ sealApiKeys: true });

  it('a key that is imported has one', async () => {
    const { code } = await callerOf(sealing)('importApiKey', inputOf(foreignKey()), server);
    expect(code).toBe('OK');
    expect((await sealing.gateway.rows('api_key'))[0]?.['encrypted_key']).toEqual(expect.any(String));
  });
});
