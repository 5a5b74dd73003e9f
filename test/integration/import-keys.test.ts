import { randomBytes } from 'node:crypto';
import { DriverException } from '@mikro-orm/core';
import { CompiledQuery } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { verifySecret } from '../../src/api-keys/verify/verify-secret.ts';
import { Db } from '../../src/database/db.ts';
import { Account } from '../../src/database/tables.ts';
import { handleLeaks } from '../../src/door/leak-reports/handle-leaks.ts';
import { digests } from '../../src/rewrap/digests.ts';
import { rewrap } from '../../src/rewrap/rewrap.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { refuseRows } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  expectMoved,
  exportFrom,
  foreignKey,
  importTo,
  publicKey,
  sha256,
  sha512,
} from '../support/imports.ts';
import { everything } from '../support/key-suite.ts';
import { plansOf } from '../support/plans.ts';
import { secretListOf } from '../support/secrets.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const old = { peppers: secretListOf(1), encryptionKeys: secretListOf(1) };
const both = createSecrets({ ...old, peppers: [...secretListOf(2), ...old.peppers] });
const plans = plansOf({ unlimited: {}, pro: {}, free: {} });
const setup = setUpGateway({ secretKeys: old, plans });
const backend = { sub: 'backend', client_id: 'backend', scope: 'keys.verify' };

/** Whose keys these are: the issuer's own subject, so that they can sign in. */
const owned = (subject = 'alice') => ({ issuer: setup.issuer.config.issuer, subject });
const lineOf = (key: string, values: object = {}) => ({
  ...owned(),
  key_prefix: key.slice(0, 10),
  sha256: sha256(key),
  ...values,
});

const verify = async (key: string, gateway: TestGateway = setup.gateway) => {
  const token = await setup.sign(backend);
  const ofRest = await gateway.rest('POST', '/keys/verify', { token, json: { key } });
  const query = 'mutation ($key: String!) { verifyApiKey(key: $key) { valid reason keyId } }';
  const ofGraphql = await gateway.graphql(query, { token, variables: { key } });
  const { valid, reason, key_id: keyId } = ofRest.body;
  expect(ofGraphql.body.data.verifyApiKey).toEqual({ valid, reason, keyId });
  return { valid, reason, keyId };
};
const good = (keyId: number) => ({ valid: true, reason: null, keyId });
const unknown = { valid: false, reason: 'not_found', keyId: null };

const authorize = async (key: string) =>
  (await setup.gateway.rest('GET', '/keys/authorize', { headers: { 'x-api-key': key } })).status;

describe('an imported key', () => {
  it.each<[string, () => string]>([
    ['of another form', foreignKey],
    ['without anything by which to part it', () => foreignKey().replaceAll('_', '')],
    ['of our form without a checksum', publicKey],
    ['of our form', createApiKeySecret],
    ['of 1000 characters', () => foreignKey().padEnd(1000, 'x')],
  ])('is accepted by verification, forward auth and for itself: one %s', async (_what, create) => {
    const [first, second, third, fourth] = [create(), create(), create(), create()] as const;
    const base64 = (key: string) => Buffer.from(sha256(key), 'hex').toString('base64');
    const lines = [
      lineOf(first),
      lineOf(second, { sha256: base64(second) }),
      lineOf(third, { sha256: base64(third).replace('=', '') }),
      lineOf(fourth, { sha256: undefined, key: fourth }),
    ];
    expect(await importTo(setup.gateway, lines)).toEqual({ made: 4, known: 0, refused: [] });
    for (const [index, key] of [first, second, third, fourth].entries()) {
      expect(await verify(key)).toEqual(good(index + 1));
      expect(await authorize(key)).toBe(200);
      const self = await setup.gateway.rest('GET', '/keys/self', { headers: { 'x-api-key': key } });
      expect(self.body).toMatchObject({ id: index + 1, key_prefix: key.slice(0, 10) });
      expect(await verify(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toEqual(unknown);
    }
    expect(await verify(create())).toEqual(unknown);
  });

  it('is stored only as a digest made with a pepper', async () => {
    const [one, other] = [foreignKey(), foreignKey()];
    await importTo(setup.gateway, [lineOf(one), lineOf(other, { sha256: undefined, key: other })]);
    await verify(one);
    const rows = Object.entries(await setup.stored()).flatMap(([, found]) => found.flatMap(Object.values));
    const bytes = rows.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)));
    const hidden = [one, other].flatMap((key) => [
      key,
      sha256(key),
      Buffer.from(sha256(key), 'hex').toString('base64'),
    ]);
    for (const text of hidden) expect(bytes.filter((value) => value.includes(text))).toEqual([]);
    expect(
      (await setup.gateway.rows('api_key_secret')).map((row) => [row['pepper_version'], row['is_imported']]),
    ).toEqual([
      [1, expect.toBeOneOf([1, true])],
      [1, expect.toBeOneOf([1, true])],
    ]);
  });

  it('has all values of its line', async () => {
    const key = foreignKey();
    const parts = {
      name: ' Laptop ',
      description: 'Of the team',
      created_at: '2025-01-31T13:00:00.5+01:00',
      expires_at: '2099-01-01T00:00:00Z',
      permissions: ['documents.*'],
      metadata: { plan: 'basic' },
      allowed_addresses: ['192.0.2.0/24'],
      rate_limit: { limit: 5, window_seconds: 60 },
      quota: { limit: 10, refill: 'daily' },
    };
    await importTo(setup.gateway, [lineOf(key, parts), lineOf(foreignKey(), { is_active: false })]);
    const read = async (id: number) =>
      (await setup.gateway.rest('GET', `/auth/keys/${id}`, { token: await setup.sign() })).body;
    expect(await read(1)).toMatchObject({
      ...parts,
      name: 'Laptop',
      created_at: '2025-01-31T12:00:00.500Z',
      expires_at: '2099-01-01T00:00:00.000Z',
      quota: { limit: 10, remaining: 10, refill: 'daily' },
      is_active: true,
      is_default: true,
      deactivated_at: null,
    });
    expect(await read(2)).toMatchObject({
      name: null,
      permissions: [],
      metadata: null,
      quota: null,
      is_active: false,
      is_default: false,
      deactivated_at: expect.any(String),
    });
  });

  it('is counted, expires and can be deactivated like any other', async () => {
    const [used, inactive, expired] = [foreignKey(), foreignKey(), foreignKey()];
    await importTo(setup.gateway, [
      lineOf(used),
      lineOf(inactive, { is_active: false }),
      lineOf(expired, { expires_at: '2025-01-01T00:00:00Z' }),
    ]);
    expect([await verify(inactive), await verify(expired)].map(({ reason }) => reason)).toEqual([
      'inactive',
      'expired',
    ]);
    await verify(used);
    await setup.gateway.keyUsage.write();
    expect((await setup.gateway.uses()).map(([id, , outcome, count]) => [id, outcome, count])).toEqual([
      [1, 'valid', 2],
      [2, 'inactive', 2],
      [3, 'expired', 2],
    ]);
    const token = await setup.sign();
    expect((await setup.gateway.rest('GET', '/auth/keys/1', { token })).body.last_used_at).not.toBeNull();
    await setup.gateway.rest('DELETE', '/auth/keys/1', { token });
    expect((await verify(used)).reason).toBe('inactive');
  });

  it('an operator who has the whole key finds it', async () => {
    const key = foreignKey();
    await importTo(setup.gateway, [lineOf(key)]);
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const { body } = await setup.gateway.rest('POST', '/admin/keys/find', { token, json: { key } });
    expect(body).toMatchObject([{ key_id: 1, subject: 'alice' }]);
  });

  it('is refused while its account is blocked', async () => {
    const key = foreignKey();
    await importTo(setup.gateway, [lineOf(key)]);
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const json = { reason: 'unpaid' };
    await setup.gateway.rest('POST', '/admin/accounts/1/block', { token, json });
    expect((await verify(key)).reason).toBe('account_blocked');
  });

  it('becomes the default if its account has none and the key is active', async () => {
    const bob = await setup.gateway.createAccount('bob');
    await setup.gateway.createApiKey(bob, { isDefault: true });
    const lines = [
      lineOf(foreignKey(), { is_active: false }),
      lineOf(foreignKey()),
      lineOf(foreignKey()),
      lineOf(foreignKey(), owned('bob')),
    ];
    await importTo(setup.gateway, lines);
    const rows = await setup.gateway.rows('api_key');
    expect(rows.filter((row) => row['is_default']).map(({ id }) => id)).toEqual([1, 3]);
  });

  it('the import writes no audit event', async () => {
    await importTo(setup.gateway, [lineOf(foreignKey())]);
    expect(await setup.gateway.rows('audit_event')).toEqual([]);
    await setup.gateway.rest('DELETE', '/auth/keys/1', { token: await setup.sign() });
    expect((await setup.gateway.rows('audit_event')).map(({ action }) => action)).toEqual([
      'api-key-deactivated',
    ]);
  });
});

/** Two lines and their keys, by a service's own ways. */
const kinds: [string, (secret: string) => [string, object]][] = [
  [
    'the long token of a prefixed key (Seam)',
    (secret) => [
      `mycompany_BRTRKFsL_${secret}`,
      { key_prefix: 'mycompany_BRTRKFsL_', sha256: sha256(secret), hashed_part: { after: '_' } },
    ],
  ],
  [
    'what follows the id (Laravel Sanctum)',
    (secret) => [`7|${secret}`, { key_prefix: '7|', sha256: sha256(secret), hashed_part: { after: '|' } }],
  ],
  [
    'what follows a UUID',
    (secret) => {
      const head = '0193fb4e-7a5c-7b6e-9d8f-1a2b3c4d5e6f|';
      return [`${head}${secret}`, { key_prefix: head, sha256: sha256(secret), hashed_part: { after: '|' } }];
    },
  ],
  [
    'what follows a prefix, with the separator in it again',
    (secret) => {
      const key = `sk_live_${secret}_${secret}`;
      const hashed_part = { after: 'sk_live_' };
      return [key, { key_prefix: 'sk_live_', sha256: sha256(key.slice(8)), hashed_part }];
    },
  ],
  [
    'all, by SHA-512 (Django REST framework)',
    (secret) => [
      `${secret.slice(0, 8)}.${secret}`,
      { key_prefix: `${secret.slice(0, 8)}.`, sha512: sha512(`${secret.slice(0, 8)}.${secret}`) },
    ],
  ],
  [
    'a part, by SHA-512',
    (secret) => [
      `app:1:${secret}`,
      { key_prefix: 'app:1:', sha512: sha512(secret).toUpperCase(), hashed_part: { after: ':' } },
    ],
  ],
];
const foreignSecret = () => randomBytes(20).toString('hex');
const given = (values: object) => ({ ...owned(), ...values });

describe.each(kinds)('a key of which another service hashed %s', (_what, kind) => {
  it('is accepted as a whole only, and by every way in', async () => {
    const secret = foreignSecret();
    const [key, values] = kind(secret);
    expect(await importTo(setup.gateway, [given(values)])).toEqual({ made: 1, known: 0, refused: [] });
    expect(await verify(key)).toEqual(good(1));
    expect(await authorize(key)).toBe(200);
    const others = [secret, `x${key}`, `${key}x`, key.replace(/^./, 'x'), key.replace('_', '__')];
    for (const other of others.filter((each) => each !== key)) expect(await verify(other)).toEqual(unknown);
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const found = await setup.gateway.rest('POST', '/admin/keys/find', { token, json: { key } });
    expect(found.body).toMatchObject([{ key_id: 1, subject: 'alice' }]);
  });

  it('is not accepted by its hash, as it is stored there or here', async () => {
    const secret = foreignSecret();
    const [key, values] = kind(secret);
    // A key without a beginning makes Keyward look up every text.
    const plain = foreignKey().replaceAll('_', '');
    await importTo(setup.gateway, [given(values), lineOf(plain)]);
    const { key_prefix: head } = values as { key_prefix: string };
    const texts = [secret, key, plain].flatMap((text) =>
      [sha256(text), sha512(text)].flatMap((hash) => [hash, `sha256:${hash}`, `sha512:${hash}`]),
    );
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    for (const text of texts.flatMap((each) => [each, `${each}:${head}`, `${head}${each}`])) {
      expect(await verify(text)).toEqual(unknown);
      expect(await authorize(text)).toBe(401);
      const found = await setup.gateway.rest('POST', '/admin/keys/find', { token, json: { key: text } });
      expect(found.body).toEqual([]);
    }
    expect(await verify(key)).toMatchObject({ valid: true });
  });

  it('is stored only as a digest made with a pepper', async () => {
    const secret = foreignSecret();
    const [key, values] = kind(secret);
    await importTo(setup.gateway, [given(values)]);
    const rows = Object.entries(await setup.stored()).flatMap(([, found]) => found.flatMap(Object.values));
    const bytes = rows.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)));
    const hidden = [secret, ...[secret, key].flatMap((text) => [sha256(text), sha512(text)])];
    for (const text of hidden) expect(bytes.filter((value) => value.includes(text))).toEqual([]);
  });

  it('is the same key when it is imported again, also as a text', async () => {
    const [key, values] = kind(foreignSecret());
    const { key_prefix } = values as { key_prefix: string };
    const whole = given({ key_prefix, key });
    await importTo(setup.gateway, [given(values)]);
    expect(await importTo(setup.gateway, [given(values), whole])).toEqual({ made: 0, known: 2, refused: [] });
    const [another, more] = kind(foreignSecret());
    const { key_prefix: prefix } = more as { key_prefix: string };
    const together = [given({ key_prefix: prefix, key: another }), given(more)];
    expect(await importTo(setup.gateway, together)).toEqual({ made: 1, known: 1, refused: [] });
  });

  it('ends when it is found in a public place', async () => {
    const [key, values] = kind(foreignSecret());
    await importTo(setup.gateway, [given(values)]);
    const { services, database } = setup.gateway;
    const context = {
      ...{ db: new Db(database.em), services, events: () => {} },
      requestSource: { id: 'report', address: null },
    };
    const url = 'https://example.com/leak';
    expect(await handleLeaks(context, 'end', [{ token: key, url }])).toEqual(new Set([key]));
    expect((await verify(key)).reason).toBe('inactive');
  });
});

describe('keys that were hashed in different ways', () => {
  it('are all found, and a line with one way too many is refused', async () => {
    const made = kinds.map(([, kind]) => kind(foreignSecret()));
    // Ways: SHA-256 of whole keys always, and after `_`, `|` and `sk_live_`.
    const { refused, ...totals } = await importTo(
      setup.gateway,
      made.map(([, values]) => given(values)),
    );
    expect(totals).toEqual({ made: 4, known: 0 });
    expect(refused).toEqual(
      [5, 6].map((number) => [
        number,
        'Keys may be hashed in at most 4 ways: by SHA-256 or SHA-512, whole or after a text.',
      ]),
    );
    // A later import knows the ways of the earlier.
    expect((await importTo(setup.gateway, [given(made[4]?.[1] ?? {})])).refused).toHaveLength(1);
    const whole = foreignKey();
    expect((await importTo(setup.gateway, [lineOf(whole)])).made).toBe(1);
    for (const [key] of [...made.slice(0, 4), [whole]]) expect((await verify(key)).valid).toBe(true);
  });
});

describe('a verification with imported keys', () => {
  const createVerifier = () => {
    const { services } = setup.gateway;
    const db = new Db(setup.gateway.database.em);
    const queries = vi.spyOn(db, 'run');
    const made = vi.spyOn(services.secrets.peppers, 'digests');
    return async (secret: string) => {
      const context = { db, services, record: {} };
      queries.mockClear();
      made.mockClear();
      await verifySecret(context, { secret, permissions: [], cost: 1, address: null });
      return [made.mock.calls.length, queries.mock.calls.length];
    };
  };

  it('a text that resembles no key → no statement, one that does → one statement', async () => {
    const key = foreignKey();
    await importTo(setup.gateway, [lineOf(key)]);
    const cost = createVerifier();
    for (const looksSo of [key, foreignKey(), 'acme_', `acme_${'x'.repeat(995)}`])
      expect(await cost(looksSo)).toEqual([2, 1]);
    for (const other of ['', 'acme', 'Acme_live', 'other_live_1', publicKey(), `acme_${'x'.repeat(996)}`])
      expect(await cost(other)).toEqual([1, 0]);
    // A key of ours costs what it did.
    expect(await cost(createApiKeySecret())).toEqual([1, 1]);
  });

  it('a text is hashed in those ways only in which a key that begins so is hashed', async () => {
    const secret = foreignSecret();
    const django = `abc.${secret}`;
    await importTo(setup.gateway, [
      lineOf(foreignKey()),
      given({ key_prefix: 'abc.', sha512: sha512(django) }),
      given({ key_prefix: '7|', sha256: sha256(secret), hashed_part: { after: '|' } }),
    ]);
    const cost = createVerifier();
    expect(await cost(foreignKey())).toEqual([2, 1]);
    expect(await cost(django)).toEqual([2, 1]);
    expect(await cost(`7|${secret}`)).toEqual([2, 1]);
    expect(await cost(`acme_|${secret}`)).toEqual([3, 1]);
    for (const other of [secret, 'abc', '7', publicKey()]) expect(await cost(other)).toEqual([1, 0]);
    // A text without a part has no hash of one.
    expect(await cost('7|')).toEqual([1, 0]);
    expect(await cost(createApiKeySecret())).toEqual([1, 1]);
  });

  it('imported keys with many different beginnings → still one statement', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => {
      const key = `${'abcdefghij'[index % 10]}${index}_${foreignKey()}`;
      return lineOf(key);
    });
    await importTo(setup.gateway, lines);
    const forms = (await setup.gateway.rows('imported_form')).map(({ beginning }) => beginning);
    expect(forms).toHaveLength(33);
    expect(forms.at(-1)).toBe('');
    expect(await createVerifier()('anything')).toEqual([2, 1]);
  });
});

describe('an import that is run again', () => {
  it('creates no key twice, and changes nothing', async () => {
    const [one, other] = [foreignKey(), foreignKey()];
    const lines = [lineOf(one), lineOf(other, { sha256: undefined, key: other })];
    await importTo(setup.gateway, lines);
    const before = await setup.stored();
    // Known by the digest, whatever else is said, and whichever way the key is given.
    const again = [lineOf(one, { sha256: undefined, key: one, name: 'Other' }), lineOf(other)];
    expect(await importTo(setup.gateway, [...lines, ...again])).toEqual({ made: 0, known: 4, refused: [] });
    expect(await setup.stored()).toEqual(before);
  });

  it.each([0, 60])(
    'does not restore a secret that was rotated out, with a grace of %s seconds',
    async (grace) => {
      const key = foreignKey();
      await importTo(setup.gateway, [lineOf(key)]);
      const json = { grace_seconds: grace };
      const rotated = await setup.gateway.rest('POST', '/auth/keys/1/rotate', {
        token: await setup.sign(),
        json,
      });
      expect(await verify(rotated.body.key)).toEqual(good(1));
      expect((await verify(key)).reason).toBe(grace ? null : 'rotated');
      expect(await importTo(setup.gateway, [lineOf(key)])).toMatchObject({ made: 0, known: 1 });
      expect((await verify(key)).reason).toBe(grace ? null : 'rotated');
      const json0 = { grace_seconds: 0 };
      await setup.gateway.rest('POST', '/auth/keys/1/rotate', { token: await setup.sign(), json: json0 });
      expect((await verify(key)).reason).toBe('rotated');
      expect(await importTo(setup.gateway, [lineOf(key)])).toMatchObject({ made: 0, known: 1 });
      expect(await setup.gateway.rows('api_key')).toHaveLength(1);
    },
  );

  it('does not reactivate a deactivated key', async () => {
    const key = foreignKey();
    await importTo(setup.gateway, [lineOf(key)]);
    await setup.gateway.rest('DELETE', '/auth/keys/1', { token: await setup.sign() });
    expect(await importTo(setup.gateway, [lineOf(key)])).toMatchObject({ made: 0, known: 1 });
    expect((await verify(key)).reason).toBe('inactive');
  });

  it('recognises keys under each pepper', async () => {
    const key = foreignKey();
    await importTo(setup.gateway, [lineOf(key)]);
    const secrets = both;
    expect(await importTo(setup.gateway, [lineOf(key)], { secrets })).toMatchObject({ made: 0, known: 1 });
    const another = foreignKey();
    await importTo(setup.gateway, [lineOf(another)], { secrets });
    expect((await setup.gateway.rows('api_key_secret')).map((row) => row['pepper_version'])).toEqual([1, 2]);
    const context = {
      db: new Db(setup.gateway.database.em),
      services: { ...setup.gateway.services, secrets },
      record: {},
    };
    for (const secret of [key, another])
      expect(await verifySecret(context, { secret, permissions: [], cost: 1, address: null })).toMatchObject({
        reason: null,
      });
  });
});

describe('a line is refused', () => {
  const message = 'The key belongs to another account.';

  it('if its key belongs to another account', async () => {
    const bob = await setup.gateway.createAccount('bob');
    const own = await setup.gateway.createVerifiableKey(bob);
    const [one, other, twice] = [foreignKey(), foreignKey(), foreignKey()];
    await importTo(setup.gateway, [lineOf(one), lineOf(other, owned('bob'))]);
    const lines = [
      lineOf(one, owned('bob')),
      lineOf(other, owned('carol')),
      lineOf(twice),
      lineOf(twice, owned('carol')),
      lineOf(twice),
      lineOf(own.secret, { sha256: undefined, key: own.secret }),
    ];
    expect(await importTo(setup.gateway, lines)).toEqual({
      made: 1,
      known: 1,
      refused: [1, 2, 4, 6].map((number) => [number, message]),
    });
    expect(await verify(own.secret)).toEqual(good(own.id));
  });

  const key = `acme_${'k'.repeat(40)}`;
  const years = 'Must be in the years 1970 to 9999 (UTC).';
  const date = 'Must be a date-time with an offset, such as 2026-01-31T12:00:00Z.';
  const digest = 'Must be 32 bytes in hexadecimal digits or base64.';
  const either = 'Must have exactly one of sha256, sha512 and key.';
  const byWithAt = 'paused_by: Must be given with paused_at, and only with it.';
  const parts = Object.keys(everything).filter((part) => part !== 'quota');
  const members = `May only have the members issuer, subject, organization, key_prefix, created_at, ${parts.join(', ')}, quota, is_active, paused_at, paused_by, pause_reason, plan, sha256, sha512, hashed_part, key.`;
  it.each<[string, string | object, string]>([
    ['no JSON', `{"key": "${key}"`, 'Is no JSON.'],
    ['no object', `["${key}"]`, 'Must be an object.'],
    ['null', 'null', 'Must be an object.'],
    ['a member that there is not', { [key]: 1 }, members],
    [
      '__proto__',
      `{"__proto__": {}, "issuer": "a", "subject": "b", "key_prefix": "acme_", "key": "${key}"}`,
      members,
    ],
    ['no issuer', { issuer: undefined }, 'issuer: Required.'],
    [
      'another issuer',
      { issuer: 'https://other.example.com' },
      'issuer: Must be an issuer in AUTH_ISSUER or AUTH_ISSUERS.',
    ],
    ['paused_at alone', { paused_at: '2026-01-31T12:00:00Z' }, byWithAt],
    ['paused_by alone', { paused_by: 'owner' }, byWithAt],
    [
      'paused by somebody else',
      { paused_at: '2026-01-31T12:00:00Z', paused_by: 'scout' },
      'paused_by: Must be owner, operator or scanner.',
    ],
    ['pause_reason alone', { pause_reason: 'x' }, 'pause_reason: Must be given only with paused_at.'],
    [
      'a longer reason than an owner can give',
      { paused_at: '2026-01-31T12:00:00Z', paused_by: 'owner', pause_reason: 'x'.repeat(201) },
      'pause_reason: Must have at most 200 characters if the owner paused the key.',
    ],
    [
      'an inactive key that is paused',
      { is_active: false, paused_at: '2026-01-31T12:00:00Z', paused_by: 'owner' },
      'paused_at: Must be given only for an active key.',
    ],
    ['no subject', { subject: undefined }, 'subject: Give either subject or organization.'],
    ['an empty subject', { subject: '' }, 'subject: Must not be empty.'],
    ['a long subject', { subject: 's'.repeat(256) }, 'subject: Must have at most 255 characters.'],
    ['a NUL', { subject: 'a\0b' }, 'subject: Must not contain a NUL character.'],
    ['a lone surrogate', { name: '\ud800' }, 'name: Must be valid Unicode, without lone surrogates.'],
    ['no key_prefix', { key_prefix: undefined }, 'key_prefix: Required.'],
    [
      'a long key_prefix',
      { key_prefix: 'k'.repeat(65) },
      'key_prefix: Must be 1 to 64 visible ASCII characters.',
    ],
    [
      'too much together',
      {
        key,
        key_prefix: 'acme_',
        allowed_addresses: Array.from(
          { length: 50 },
          (_, index) => `2001:0db8:1234:5678:9abc:def0:1234:${1000 + index}/128`,
        ),
        metadata: { note: 'y'.repeat(2000) },
      },
      'Permissions, allowed addresses and metadata must have at most 4096 bytes together, as JSON. These have 4312.',
    ],
    ['a blank name', { name: ' ' }, 'name: Must have at least 1 character that is not white space.'],
    ['a long name', { name: 'n'.repeat(101) }, 'name: Must have at most 100 characters.'],
    ['a date', { created_at: '2025-01-31' }, `created_at: ${date}`],
    ['a date-time without an offset', { expires_at: '2025-01-31T12:00:00' }, `expires_at: ${date}`],
    ['made in the future', { created_at: '2999-01-01T00:00:00Z' }, 'created_at: Must not be in the future.'],
    ['made before 1970', { created_at: '1969-12-31T23:59:59Z' }, `created_at: ${years}`],
    ['ended before 1970', { expires_at: '1970-01-01T00:00:00+00:01' }, `expires_at: ${years}`],
    ['that lasts beyond 9999', { expires_at: '9999-12-31T23:59:59-23:59' }, `expires_at: ${years}`],
    [
      'no permission',
      { permissions: ['A B'] },
      'permissions.0: Must be 1 to 100 characters of a-z, 0-9, and . _ : * -',
    ],
    [
      'a permission that there is not',
      { permissions: ['admin'] },
      'permissions.0: Must be a permission that this provider has.',
    ],
    ['metadata that are no object', { metadata: [] }, 'metadata: '],
    [
      'no address',
      { allowed_addresses: ['loopback'] },
      'allowed_addresses.0: Must be an IP address or a range, such as 192.0.2.0/24.',
    ],
    [
      'a limit of nothing',
      { rate_limit: { limit: 0, window_seconds: 1 } },
      'rate_limit.limit: Must be at least 1.',
    ],
    ['a quota that is no number', { quota: { limit: '1', refill: 'daily' } }, 'quota.limit: '],
    ['neither', {}, either],
    ['both', { key, sha256: sha256(key) }, either],
    ['two hashes', { sha256: sha256(key), sha512: sha512(key) }, either],
    ['too few bytes', { sha256: 'ab'.repeat(31) }, `sha256: ${digest}`],
    ['the other hash', { sha256: sha512(key) }, `sha256: ${digest}`],
    [
      'the other hash as SHA-512',
      { sha512: sha256(key) },
      'sha512: Must be 64 bytes in hexadecimal digits or base64.',
    ],
    [
      'a hashed part of a key',
      { key, hashed_part: { after: '_' } },
      'hashed_part: Must not be given with key.',
    ],
    [
      'a hashed part after another text',
      { sha256: sha256(key), hashed_part: { after: '|' } },
      'key_prefix: Must be all that precedes the hashed part, and so end with hashed_part.after.',
    ],
    [
      'a hashed part after nothing',
      { sha256: sha256(key), hashed_part: { after: '' } },
      'hashed_part.after: Must be 1 to 64 visible ASCII characters.',
    ],
    [
      'a hashed part of which nothing is said',
      { sha256: sha256(key), hashed_part: {} },
      'hashed_part.after: Required.',
    ],
    ['other letters', { sha256: 'xy'.repeat(32) }, `sha256: ${digest}`],
    ['a key with a space', { key: `acme_ ${key}` }, 'key: Must be 1 to 1000 visible ASCII characters.'],
    ['a long key', { key: 'acme_'.padEnd(1001, 'k') }, 'key: Must be 1 to 1000 visible ASCII characters.'],
    ['a key that begins otherwise', { key: `x${key}` }, 'key_prefix: Must be the beginning of the key.'],
    [
      'a key that is nearly told',
      { key: 'acme_123456789012345' },
      'key: Must have at least 16 characters more than key_prefix.',
    ],
    ['a member of a limit that there is not', { rate_limit: { [key]: 1 } }, 'rate_limit.limit: Required.'],
    ['a NUL in a member that there is not', { [key]: 'a\0' }, 'Must not contain a NUL character.'],
    ['a NUL in metadata', { metadata: { [key]: 'a\0' } }, 'metadata: Must not contain a NUL character.'],
    ['an abyss', `{"metadata": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'Is nested too deeply.'],
    ['many faults', { permissions: Array(50).fill('A') }, 'permissions.4: Must be'],
    ['a long line', ' '.repeat(64 * 1024 + 1), 'Is longer than 64 KiB, or no UTF-8.'],
  ])('%s → a message that does not repeat the key', async (_what, line, why) => {
    const { issuer } = setup.issuer.config;
    const given = typeof line === 'string' ? line : { ...owned(), key_prefix: 'acme_', ...line };
    const options = { issuers: [issuer], settings: { apiKeyPermissions: ['documents.read'] } };
    const outcome = await importTo(setup.gateway, ['', given, ' \r'], options);
    expect(outcome).toMatchObject({ made: 0, known: 0, refused: [[2, expect.stringContaining(why)]] });
    const [[, told] = [0, '']] = outcome.refused;
    expect(told).not.toContain('kkkk');
    expect(await setup.gateway.rows('account')).toEqual([]);
  });

  it('other lines are still imported', async () => {
    const [one, other] = [foreignKey(), foreignKey()];
    const outcome = await importTo(setup.gateway, [lineOf(one), 'x', lineOf(other)]);
    expect(outcome).toEqual({ made: 2, known: 0, refused: [[2, 'Is no JSON.']] });
    expect([await verify(one), await verify(other)]).toEqual([good(1), good(2)]);
  });
});

describe('an import that fails midway', () => {
  it('imports no key in part, keeps earlier keys, and reports a short message', async () => {
    const before = Array.from({ length: 250 }, () => lineOf(foreignKey()));
    const key = foreignKey();
    await importTo(setup.gateway, before);
    const stored = await setup.stored();
    {
      await using _refusal = await refuseRows(setup.gateway.database, 'api_key_secret');
      const lines = [...before, lineOf(key, owned('bob'))];
      const failure = await importTo(setup.gateway, lines).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DriverException);
      expect(String((failure as Error).message)).toMatch(/^.{1,200}$/);
    }
    expect(await setup.stored()).toEqual(stored);
    expect(await importTo(setup.gateway, [lineOf(key, owned('bob'))])).toMatchObject({ made: 1 });
  });

  it('tries again if an account is erased meanwhile', async () => {
    const key = foreignKey();
    await importTo(setup.gateway, [lineOf(foreignKey(), owned('bob'))]);
    const run = vi.spyOn(Db.prototype, 'transaction');
    run.mockImplementationOnce(async function (this: Db, work) {
      return this.transaction(async (db) => {
        const erased = "update account set subject = 'erased', erased_at = created_at where subject = 'bob'";
        const rename = vi.spyOn(db, 'run').mockImplementationOnce(async (...question) => {
          rename.mockRestore();
          const rows = await db.run(...question);
          await db.run(CompiledQuery.raw(erased), Account);
          return rows;
        });
        return work(db);
      });
    });
    const outcome = await importTo(setup.gateway, [lineOf(key, owned('bob'))]);
    expect(outcome).toEqual({ made: 1, known: 0, refused: [] });
    // The erasure was part of the attempt that was undone.
    expect(await setup.gateway.rows('account')).toMatchObject([{ subject: 'bob', erased_at: null }]);
    expect((await setup.gateway.rows('api_key')).map((row) => row['account_id'])).toEqual([1, 1]);
  });
});

describe('a dry run', () => {
  it('writes nothing, and reports the same as the import', async () => {
    const [one, other] = [foreignKey(), foreignKey()];
    await importTo(setup.gateway, [lineOf(one)]);
    const before = await setup.stored();
    const lines = [lineOf(one), lineOf(other, owned('bob')), lineOf(one, owned('bob')), 'x'];
    const dry = await importTo(setup.gateway, lines, { isDryRun: true });
    expect(dry).toMatchObject({
      made: 1,
      known: 1,
      refused: [
        [4, 'Is no JSON.'],
        [3, expect.any(String)],
      ],
    });
    expect(await setup.stored()).toEqual(before);
    expect(await importTo(setup.gateway, lines)).toEqual(dry);
  });
});

describe('with sealed copies', () => {
  it('a key given in full gets a copy, so its digest can move to another pepper', async () => {
    const [given, digested] = [foreignKey(), foreignKey()];
    const lines = [lineOf(given, { sha256: undefined, key: given }), lineOf(digested)];
    await importTo(setup.gateway, lines, { settings: { sealApiKeys: true } });
    const [row, other] = await setup.gateway.rows('api_key');
    const binding = { purpose: 'api-key', accountId: 1, rowId: 1, version: 1 } as const;
    const opened = await setup.gateway.secrets.sealer.open(String(row?.['encrypted_key']), binding);
    expect(Buffer.from(opened).toString()).toBe(given);
    expect(other?.['encrypted_key']).toBeNull();
    const secrets = both;
    const outcome = await rewrap(new Db(setup.gateway.database.em), digests(secrets), () => {});
    expect(outcome).toEqual({ moved: 1, broken: [], left: 1 });
    expect(await importTo(setup.gateway, lines, { secrets })).toMatchObject({ made: 0, known: 2 });
  });
});

describe('the plan of a line', () => {
  const settings = { plans };
  const planned = (plan: string | null, values: object = {}, key = foreignKey()) =>
    lineOf(key, { plan, ...values });
  const plansBySubject = async () =>
    Object.fromEntries((await setup.gateway.rows('account')).map(({ subject, plan }) => [subject, plan]));

  it('is set for the account; the first line of an account counts', async () => {
    const lines = [
      planned('pro'),
      planned('unlimited'),
      planned(null),
      planned('free', owned('bob')),
      planned(null, owned('carol')),
    ];
    expect(await importTo(setup.gateway, lines, { settings })).toMatchObject({ made: 5, refused: [] });
    expect(await plansBySubject()).toEqual({ alice: 'pro', bob: 'free', carol: null });
    expect((await exportFrom(setup.gateway)).map(({ plan }) => plan)).toEqual([
      'pro',
      'pro',
      'pro',
      'free',
      null,
    ]);
  });

  it("is set for known keys too, unless the account's entitlement was set since", async () => {
    const [one, other, third] = [foreignKey(), foreignKey(), foreignKey()];
    const lines = [lineOf(one), lineOf(other, owned('bob')), lineOf(third, owned('carol'))];
    await importTo(setup.gateway, lines, { settings });
    const [, bob, carol] = (await setup.gateway.rows('account')).map(({ id }) => Number(id)) as [
      number,
      number,
      number,
    ];
    const token = await setup.sign({ sub: 'billing', scope: 'accounts.entitle' });
    const set = (id: number, json: object) =>
      setup.gateway.rest('PUT', `/admin/accounts/${id}/entitlement`, { token, json });
    expect((await set(bob, { overrides: { max_active_keys: 1 } })).status).toBe(200);
    expect((await set(carol, { overrides: {} })).status).toBe(200);
    expect((await set(carol, { overrides: null })).status).toBe(200);
    const again = lines.map((line) => ({ ...line, plan: 'pro' }));
    const known = { made: 0, known: 3, refused: [] };
    expect(await importTo(setup.gateway, again, { settings, isDryRun: true })).toEqual(known);
    expect(await plansBySubject()).toEqual({ alice: null, bob: null, carol: null });
    expect(await importTo(setup.gateway, again, { settings })).toEqual(known);
    expect(await plansBySubject()).toEqual({ alice: 'pro', bob: null, carol: null });
  });

  it('is not set if the key belongs to another account', async () => {
    const key = foreignKey();
    await importTo(setup.gateway, [lineOf(key)], { settings });
    await setup.gateway.createAccount('bob');
    const { refused } = await importTo(setup.gateway, [planned('pro', owned('bob'), key)], { settings });
    expect(refused).toHaveLength(1);
    expect(await plansBySubject()).toEqual({ alice: null, bob: null });
  });

  it.each<[string, typeof settings | undefined]>([
    ['one that the provider has not', settings],
    ['any, where there are none', undefined],
  ])('is refused: %s', async (_what, given) => {
    const lines = [planned(given ? 'gold' : 'pro'), planned(null)];
    expect(await importTo(setup.gateway, lines, given ? { settings: given } : {})).toMatchObject({
      made: 1,
      refused: [[1, 'plan: Must be a plan in PLANS_FILE.']],
    });
  });
});

describe('an export', () => {
  it('contains no secret and no digest', async () => {
    const key = foreignKey();
    const { secret } = await setup.gateway.createVerifiableKey(await setup.gateway.createAccount('bob'));
    await importTo(setup.gateway, [lineOf(key)]);
    const text = JSON.stringify(await exportFrom(setup.gateway));
    const stored = (await setup.gateway.rows('api_key_secret')).map(({ digest }) => digest as Buffer);
    const hidden = [
      key,
      secret,
      sha256(key),
      ...stored.flatMap((each) => [each.toString('hex'), each.toString('base64')]),
    ];
    for (const each of hidden) expect(text).not.toContain(each);
  });

  it('has each key once, even if keys are created meanwhile', async () => {
    const alice = await setup.gateway.createAccount('alice');
    await importTo(
      setup.gateway,
      Array.from({ length: 1200 }, () => lineOf(foreignKey())),
    );
    const run = vi.spyOn(Db.prototype, 'run');
    run.mockImplementation(async function (this: Db, ...question) {
      run.mockRestore();
      const rows = await this.run(...question);
      await setup.gateway.createApiKey(alice, { name: 'New' });
      return rows;
    });
    const lines = await exportFrom(setup.gateway);
    expect(lines).toHaveLength(1201);
    expect(lines.at(-1)).toMatchObject({ name: 'New' });
  });

  it('imported elsewhere with its keys → the same accounts and keys there', async () => {
    await using elsewhere = await createTestGateway(setup.issuer);
    const created_at = '2026-01-01T00:00:00.000Z';
    await expectMoved(setup.gateway, elsewhere, [
      { subject: 'alice', created_at, is_active: true, ...everything },
      { subject: 'bob', created_at, is_active: false, expires_at: created_at },
      { subject: 'alice', created_at, paused_at: created_at, paused_by: 'operator', pause_reason: 'x' },
      { subject: 'bob', created_at, paused_at: created_at, paused_by: 'scanner', pause_reason: null },
    ]);
  });
});
