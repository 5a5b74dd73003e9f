import { describe, expect, it } from 'vitest';
import { createApiKeys, describeKeyId, noParts, partsSelection } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';
import { transportsOf } from '../support/transports.ts';

const setup = setUpGateway();

const operation = {
  field: 'apiKey',
  rest: ['GET', '/auth/keys/{key_id}'],
  query: `query ($keyId: Int!) { apiKey(keyId: $keyId) {
    id keyPrefix name createdAt isActive isDefault encryptedKey encryptionVersion
    expiresAt deactivatedAt previousWorksUntil lastUsedAt ${partsSelection} } }`,
} as const;

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

describe.each(transportsOf(setup, operation))('success over %s', (_transport, read) => {
  it('answers the record, and writes nothing', async () => {
    await createApiKeys(setup);
    const before = await setup.stored();
    expect(await read({ keyId: 1 })).toEqual({ status: 200, code: 'OK', data: record });
    expect((await read({ keyId: 3 }, { sub: 'bob' })).data).toEqual({ ...record, id: 3, is_default: false });
    expect(await setup.stored()).toEqual(before);
  });

  it('answers what there is of an inactive, expired and sealed key', async () => {
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
    expect((await read({ keyId: 1 })).data).toEqual({
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

describeKeyId(setup, operation);
