import { defineEntity, p } from '@mikro-orm/core';
import { Account } from '../accounts/account.entity.ts';

export const apiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  // One default key an account, whatever races for it.
  uniques: [{ properties: ['account'], where: { isDefault: true }, name: 'api_key_one_default' }],
  indexes: [
    // An account's active keys are counted when it gets another; how many are inactive does not matter then.
    { properties: ['account'], where: { isActive: true }, name: 'api_key_active' },
    // The versions that sealed copies refer to are looked up at each start.
    {
      properties: ['encryptionVersion'],
      where: { encryptedKey: { $ne: null } },
      name: 'api_key_sealed_version',
    },
  ],
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.manyToOne(Account).mapToPk().index(),
    keyPrefix: p.string(),
    name: p.string().nullable(),
    isActive: p.boolean().default(true),
    isDefault: p.boolean().default(false),
    encryptedKey: p.text().nullable(),
    encryptionVersion: p.integer().default(1),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    /** From then on it is valid no more; null: for as long as it is active. */
    expiresAt: p.datetime(3).nullable(),
    deactivatedAt: p.datetime(3).nullable(),
    /** Written in batches: up to half a minute late. */
    lastUsedAt: p.datetime(3).nullable(),
  },
});

/** A customer's credential at the API provider: never the secret itself, only what is known of it. */
export class ApiKey extends apiKeySchema.class {}
apiKeySchema.setClass(ApiKey);
