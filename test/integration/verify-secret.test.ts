import { describe, expect, it, vi } from 'vitest';
import { createApiKeySecret } from '../../src/api-keys/api-key-secret.ts';
import { verifySecret } from '../../src/api-keys/verify/verify-secret.ts';
import { Db } from '../../src/database/db.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { secretOfSamePrefix, withBadChecksum } from '../support/api-key-secrets.ts';
import { createTestGateway } from '../support/gateway.ts';
import { secretListOf } from '../support/secrets.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const asked = (secret: string) => ({ secret, permissions: [], cost: 1, address: null });

const createKey = async () => setup.gateway.createVerifiableKey(await setup.gateway.createAccount('alice'));

/** Verifies secrets, and notes the digests and the queries that it takes. */
const createVerifier = () => {
  const db = new Db(setup.gateway.database.em);
  const queries = vi.spyOn(db, 'run');
  const { services } = setup.gateway;
  const digests = vi.spyOn(services.secrets.peppers, 'digests');
  return {
    queries,
    digests,
    verify: (secret: string) => verifySecret({ db, services, record: {} }, asked(secret)),
  };
};

describe('a text that cannot be a secret', () => {
  it.each<[string, (secret: string) => string]>([
    ['a bad checksum', withBadChecksum],
    ['cut off', (secret) => secret.slice(0, -1)],
    ['nothing', () => ''],
  ])('takes the same digests, and the database is not asked: %s', async (_what, change) => {
    const { secret } = await createKey();
    const { verify, queries, digests } = createVerifier();
    expect((await verify(change(secret))).reason).toBe('not_found');
    expect(digests.mock.calls).toEqual([[change(secret)]]);
    expect(queries).not.toHaveBeenCalled();
  });
});

describe('a secret', () => {
  it.each<[string, (secret: string) => string]>([
    ['good', (secret) => secret],
    ['unknown', () => createApiKeySecret()],
    ['wrong for its prefix', secretOfSamePrefix],
  ])('takes one query: one that is %s', async (_what, change) => {
    const { secret } = await createKey();
    const { verify, queries, digests } = createVerifier();
    for (let time = 1; time <= 2; time += 1) {
      await verify(change(secret));
      expect(digests).toHaveBeenCalledTimes(time);
      expect(queries).toHaveBeenCalledTimes(time);
    }
  });

  it('is found under every pepper that is configured, and under no other', async () => {
    const encryptionKeys = secretListOf(1);
    const [one, two, three] = secretListOf(1, 2, 3) as [never, never, never];
    await using gateway = await createTestGateway(setup.issuer, {
      secretKeys: { peppers: [one], encryptionKeys },
    });
    const key = await gateway.createVerifiableKey(await gateway.createAccount('alice'));
    const db = new Db(gateway.database.em);
    const reasonUnder = async (...peppers: [never, ...never[]]) => {
      const secrets = createSecrets({ peppers, encryptionKeys });
      const context = { db, services: { ...gateway.services, secrets }, record: {} };
      return (await verifySecret(context, asked(key.secret))).reason;
    };
    expect(await reasonUnder(two, one)).toBeNull();
    expect(await reasonUnder(three, two, one)).toBeNull();
    expect(await reasonUnder(one)).toBeNull();
    expect(await reasonUnder(two)).toBe('not_found');
    expect(await reasonUnder(two, three)).toBe('not_found');
  });
});

describe('several reasons → a reason of the key comes before one of its secret', () => {
  const past = new Date('2026-01-01T00:00:00.000Z');
  const future = new Date('2099-01-01T00:00:00.000Z');

  it.each([
    [true, null, null, null],
    [true, future, future, null],
    [true, null, past, 'rotated'],
    [true, past, null, 'expired'],
    [true, past, past, 'expired'],
    [false, null, null, 'inactive'],
    [false, null, past, 'inactive'],
    [false, past, null, 'inactive'],
    [false, past, past, 'inactive'],
  ])(
    'active: %s, expires: %s, secret works until: %s → %s',
    async (isActive, expiresAt, worksUntil, reason) => {
      const account = await setup.gateway.createAccount('alice');
      const id = await setup.gateway.createApiKey(account, { isActive, expiresAt });
      const secret = createApiKeySecret();
      await setup.gateway.addSecret(id, secret, worksUntil);
      const { verify } = createVerifier();
      expect(await verify(secret)).toMatchObject({ reason, found: { id } });
    },
  );
});
