import { describe, expect, it } from 'vitest';
import { createApiKeys, noParts } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const read = (id: number, claims = {}) => setup.call('GET', `/auth/keys/${id}`, undefined, claims);

const record = {
  id: 1,
  key_prefix: 'sk-a1b2c3',
  name: 'Laptop',
  created_at: '2026-01-31T12:00:00.000Z',
  is_active: true,
  is_default: true,
  encrypted_key: null,
  encryption_version: 1,
  expires_at: null,
  deactivated_at: null,
  previous_works_until: null,
  last_used_at: null,
  ...noParts,
};

describe('a key', () => {
  it('active → the record, and nothing is written', async () => {
    await createApiKeys(setup);
    const before = await setup.stored();
    expect(await read(1)).toMatchObject({ status: 200, body: record });
    expect((await read(3, { sub: 'bob' })).body).toEqual({ ...record, id: 3, is_default: false });
    expect(await setup.stored()).toEqual(before);
  });

  it('inactive, expired and sealed → the record', async () => {
    const account = await setup.gateway.createAccount('alice');
    await setup.gateway.createApiKey(account, {
      name: null,
      isActive: false,
      encryptedKey: 'a..b.c.d',
      encryptionVersion: 3,
      expiresAt: new Date('2026-02-01T00:00:00.001Z'),
      deactivatedAt: new Date('2026-02-02T00:00:00.020Z'),
      lastUsedAt: new Date('2026-02-03T00:00:00.300Z'),
    });
    expect((await read(1)).body).toEqual({
      ...record,
      name: null,
      is_active: false,
      is_default: false,
      encrypted_key: 'a..b.c.d',
      encryption_version: 3,
      expires_at: '2026-02-01T00:00:00.001Z',
      deactivated_at: '2026-02-02T00:00:00.020Z',
      previous_works_until: null,
      last_used_at: '2026-02-03T00:00:00.300Z',
      ...noParts,
    });
  });
});
