import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { challenge } from '../support/challenge.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();
const query = '{ privateKeyStatus { hasKey createdAt updatedAt } }';

const rest = async (sub: string, headers = {}, method = 'GET') =>
  setup.gateway.rest(method, '/auth/private-key', { token: await setup.sign({ sub }), headers });

const graphql = async (sub: string, accept = 'application/graphql-response+json') =>
  setup.gateway.graphql(query, { token: await setup.sign({ sub }), headers: { accept } });

/** Alice with a private key, and bob without one. */
const createAccounts = async () => {
  await setup.gateway.createPrivateKey(await setup.gateway.createAccount('alice'));
  await setup.gateway.createAccount('bob');
};

const createdAt = '2026-01-31T12:00:00.000Z';
const updatedAt = '2026-02-28T12:00:00.000Z';
const registered = { has_key: true, created_at: createdAt, updated_at: updatedAt };
const none = { has_key: false, created_at: null, updated_at: null };

describe('200 over REST', () => {
  it('there is a key → since when, in three members', async () => {
    await createAccounts();
    const answer = await rest('alice');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(JSON.stringify(registered));
  });

  it.each(['bob', 'somebody never seen', 'Alice', "alice' or '1'='1"])(
    'no key → false and nulls: %s',
    async (subject) => {
      await createAccounts();
      const answer = await rest(subject);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(JSON.stringify(none));
    },
  );

  it('writes nothing, not even for a caller without an account', async () => {
    await rest('carol');
    expect(await setup.stored()).toEqual({
      account: [],
      api_key: [],
      api_key_secret: [],
      api_key_quota: [],
      account_quota: [],
      private_key: [],
      automation_settings: [],
      audit_event: [],
      idempotency_record: [],
    });
  });

  it('a Content-Type without a body and a query string → ignored', async () => {
    await createAccounts();
    const headers = { 'content-type': 'application/json' };
    const token = await setup.sign();
    const answer = await setup.gateway.rest('GET', '/auth/private-key?has_key=false&sub=bob', {
      token,
      headers,
    });
    expect(answer).toMatchObject({ status: 200, body: registered });
  });

  it('HEAD → the headers of GET and no body', async () => {
    await createAccounts();
    const withoutId = (headers: Headers) =>
      [...headers].filter(([name]) => name !== 'x-request-id').toSorted();
    const [get, head] = [await rest('alice'), await rest('alice', {}, 'HEAD')];
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(withoutId(head.headers)).toEqual(withoutId(get.headers));
  });

  it('the same subject of another issuer → no key', async () => {
    await createAccounts();
    await setup.gateway.database.em.fork().execute("update account set issuer = 'https://id.example.com'");
    expect((await rest('alice')).body).toEqual(none);
  });
});

describe('401 over REST', () => {
  it('HEAD without a token → the challenge and no body', async () => {
    const answer = await setup.gateway.rest('HEAD', '/auth/private-key');
    expect(answer).toMatchObject({ status: 401, text: '' });
    expect(answer.headers.get('www-authenticate')).toBe(challenge());
  });
});

describe('200 over GraphQL', () => {
  it.each(['application/graphql-response+json', 'application/json'])('the status as %s', async (accept) => {
    await createAccounts();
    const answer = await graphql('alice', accept);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: { privateKeyStatus: { hasKey: true, createdAt, updatedAt } } });
  });

  it.each(['bob', 'carol'])('no key → false and nulls for %s, and nothing is written', async (subject) => {
    await createAccounts();
    const before = await setup.stored();
    const status = { hasKey: false, createdAt: null, updatedAt: null };
    expect((await graphql(subject)).body).toEqual({ data: { privateKeyStatus: status } });
    expect(await setup.stored()).toEqual(before);
  });

  it('the fingerprint of a registered key is its JWK thumbprint; without it, or without a key, null', async () => {
    const fingerprint = async (sub: string) =>
      (
        await setup.gateway.graphql('{ privateKeyStatus { hasKey fingerprint } }', {
          token: await setup.sign({ sub }),
        })
      ).body.data.privateKeyStatus;
    const register = async (key: string) =>
      setup.gateway.rest('POST', '/auth/private-key', {
        token: await setup.sign({ sub: 'carol' }),
        json: { private_key: key },
      });
    await createAccounts();
    expect(await fingerprint('alice')).toEqual({ hasKey: true, fingerprint: null });
    expect(await fingerprint('bob')).toEqual({ hasKey: false, fingerprint: null });
    for (let nth = 0; nth < 5; nth += 1) {
      const jwk = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export({ format: 'jwk' });
      const digits = Buffer.from(String(jwk.d), 'base64url').toString('hex');
      expect((await register(nth === 0 ? `0x${digits.toUpperCase()}` : digits)).status).toBe(201);
      const { crv, kty, x, y } = jwk;
      const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
      expect(await fingerprint('carol')).toEqual({ hasKey: true, fingerprint: thumbprint });
    }
  });

  it('GET → the same', async () => {
    await createAccounts();
    const path = `/graphql?query=${encodeURIComponent('{ privateKeyStatus { hasKey } }')}`;
    const answer = await setup.gateway.fetch('GET', path, { token: await setup.sign() });
    expect(answer).toMatchObject({ status: 200, body: { data: { privateKeyStatus: { hasKey: true } } } });
  });
});

describe('400 over GraphQL', () => {
  it.each(['sealedKey', 'key', 'id', 'privateKey'])(
    'the field %s, which would show the key → unknown',
    async (field) => {
      await createAccounts();
      const answer = await setup.gateway.graphql(`{ privateKeyStatus { ${field} } }`, {
        token: await setup.sign(),
      });
      expect(answer.status).toBe(400);
      expect(answer.body.data).toBeUndefined();
      expect(answer.text).not.toContain('a..b.c.d');
    },
  );
});
