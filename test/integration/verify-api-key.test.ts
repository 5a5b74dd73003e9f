import { afterEach, describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { secretOfSamePrefix, withBadChecksum } from '../support/api-key-secrets.ts';
import { describeAuthentication } from '../support/authentication-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
afterEach(() => void vi.useRealTimers());

const query = `mutation ($key: String!) {
  verifyApiKey(key: $key) { valid reason keyId userId expiresAt name }
}`;

/** A provider's backend, signed in as itself (client credentials): no person, no `openid`. */
const backend = { sub: 'backend', client_id: 'backend', scope: 'keys.verify' };

const rest = async (key: unknown) =>
  setup.gateway.rest('POST', '/keys/verify', { token: await setup.sign(backend), json: { key } });

const graphql = async (key: unknown) =>
  setup.gateway.graphql(query, { token: await setup.sign(backend), variables: { key } });

/** What both transports answer, which must be the same. */
const verify = async (secret: string) => {
  const answers = [await rest(secret), await graphql(secret)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const [ofRest, ofGraphql] = answers.map(({ body }) => body);
  const { keyId, userId, expiresAt, ...others } = ofGraphql.data.verifyApiKey;
  expect(ofRest).toEqual({ ...others, key_id: keyId, user_id: userId, expires_at: expiresAt });
  return ofRest;
};

const createKey = async (values = {}) => {
  const alice = await setup.gateway.createAccount('alice');
  const key = await setup.gateway.createVerifiableKey(alice, values);
  return { ...key, userId: alice };
};

const unknown = {
  valid: false,
  reason: 'not_found',
  key_id: null,
  user_id: null,
  expires_at: null,
  name: null,
};
const freeze = (date: string) => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(date) });

describe('200', () => {
  it('tells whose a valid key is', async () => {
    const { id, secret, userId } = await createKey();
    expect(await verify(secret)).toEqual({
      valid: true,
      reason: null,
      key_id: id,
      user_id: userId,
      expires_at: null,
      name: 'Laptop',
    });
  });

  it.each<[string, (secret: string) => string]>([
    ['unknown', () => createApiKeySecret()],
    ['unknown, of the same prefix', secretOfSamePrefix],
    ['of a bad checksum', withBadChecksum],
    ['cut off', (secret) => secret.slice(0, -1)],
    ['with a space at its end', (secret) => `${secret} `],
    ['in capitals', (secret) => secret.toUpperCase()],
    ['nothing', () => ''],
    ['no text that a database could store', () => 'sk-\u0001'],
    ['of 1000 characters', () => 'x'.repeat(1000)],
    ['an SQL fragment', () => "' or 1=1 --"],
  ])('says nothing of a key that is %s', async (_what, change) => {
    const { secret } = await createKey();
    expect(await verify(change(secret))).toEqual(unknown);
  });

  it('says why a key is refused, and whose it is', async () => {
    const expiresAt = new Date('2026-02-01T00:00:00.000Z');
    const { id, secret, userId } = await createKey({ expiresAt, name: null });
    const found = {
      valid: false,
      key_id: id,
      user_id: userId,
      name: null,
      expires_at: expiresAt.toISOString(),
    };
    expect(await verify(secret)).toEqual({ ...found, reason: 'expired' });
    await setup.gateway.database.em.fork().execute('update api_key set is_active = false');
    expect(await verify(secret)).toEqual({ ...found, reason: 'inactive' });
  });

  it.each([
    ['2026-06-30T23:59:59.999Z', true, null],
    ['2026-07-01T00:00:00.000Z', false, 'expired'],
    ['2026-07-01T00:00:00.001Z', false, 'expired'],
  ])('takes a key that expires at midnight, at %s: %s', async (now, valid, reason) => {
    const { secret } = await createKey({ expiresAt: new Date('2026-07-01T00:00:00.000Z') });
    freeze(now);
    expect(await verify(secret)).toMatchObject({ valid, reason });
  });

  it.each([
    ['2026-06-30T23:59:59.999Z', true, null],
    ['2026-07-01T00:00:00.000Z', false, 'rotated'],
    ['2026-07-01T00:00:00.001Z', false, 'rotated'],
  ])('takes a secret that was rotated out until midnight, at %s: %s', async (now, valid, reason) => {
    const { id, secret } = await createKey();
    const old = createApiKeySecret();
    await setup.gateway.addSecret(id, old, new Date('2026-07-01T00:00:00.000Z'));
    freeze(now);
    expect(await verify(old)).toMatchObject({ valid, reason, key_id: id });
    expect(await verify(secret)).toMatchObject({ valid: true, key_id: id });
  });

  it('refuses both secrets of a key that is inactive or expired', async () => {
    const { id, secret } = await createKey({ expiresAt: new Date('2026-07-01T00:00:00.000Z') });
    const old = createApiKeySecret();
    await setup.gateway.addSecret(id, old, new Date('2026-12-01T00:00:00.000Z'));
    freeze('2026-07-01T00:00:00.000Z');
    for (const each of [secret, old]) expect((await verify(each)).reason).toBe('expired');
    await setup.gateway.database.em.fork().execute('update api_key set is_active = false');
    for (const each of [secret, old]) expect((await verify(each)).reason).toBe('inactive');
  });

  it('writes nothing: no row, no account, no audit event', async () => {
    const { secret } = await createKey();
    const everything = async () => [await setup.stored(), await setup.gateway.rows('audit_event')];
    const before = await everything();
    await verify(secret);
    await verify(createApiKeySecret());
    expect(await everything()).toEqual(before);
  });
});

describe('422', () => {
  it.each([
    ['a text that is too long', 'x'.repeat(1001)],
    ['a number', 5],
    ['null', null],
    ['a list', ['sk-']],
    ['nothing', undefined],
  ])('is what %s gets', async (_what, key) => {
    const answer = await rest(key);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'key'] }] } });
    const { body } = await graphql(key);
    expect(body.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      issues: [{ path: ['key'] }],
    });
  });
});

describe('a key', () => {
  it('shows up in no line of the log', async () => {
    const { secret } = await createKey();
    await verify(secret);
    await verify(`${secret}x`);
    const log = JSON.stringify(setup.gateway.log());
    expect(log).toContain('/keys/verify');
    expect(log).not.toContain(secret.slice(9));
  });

  it('is not taken from a URL', async () => {
    const { secret } = await createKey();
    const token = await setup.sign(backend);
    expect((await setup.gateway.rest('GET', `/keys/verify?key=${secret}`, { token })).status).toBe(405);
    const target = `/graphql?query=${encodeURIComponent(`mutation { verifyApiKey(key: "${secret}") { valid } }`)}`;
    expect((await setup.gateway.fetch('GET', target, { token })).status).toBe(405);
  });
});

describeAuthentication(setup, {
  rest: ['POST', '/keys/verify'],
  json: { key: 'sk-' },
  query: 'mutation { verifyApiKey(key: "sk-") { valid } }',
  scopes: ['keys.verify'],
});
