import { defineEntity, p } from '@mikro-orm/core';
import { Account } from '../accounts/account.entity.ts';

export const privateKeySchema = defineEntity({
  name: 'PrivateKey',
  tableName: 'private_key',
  properties: {
    id: p.integer().primary().autoincrement(),
    account: () => p.oneToOne(Account).mapToPk().owner(),
    /** Compact JWE (RFC 7516). No operation returns it, whole or in part. */
    sealedKey: p.text().hidden(),
    /** The version of the key-encryption key that sealed it. */
    encryptionVersion: p.integer().default(1).index(),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    updatedAt: p.datetime(3).onCreate(() => new Date()),
  },
});

/** The private key that an account has stored, sealed. */
export class PrivateKey extends privateKeySchema.class {}
privateKeySchema.setClass(PrivateKey);
