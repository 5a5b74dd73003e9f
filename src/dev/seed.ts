import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/core';
import { CompactEncrypt } from 'jose';
import { Account } from '../accounts/account.entity.ts';
import { ApiKey } from '../api-keys/api-key.entity.ts';
import { createApiKeySecret, keyPrefixOf } from '../api-keys/api-key-secret.ts';
import { PrivateKey } from '../private-key/private-key.entity.ts';

/** What alice and bob begin with: ids 1, 2, 3 are hers, 4 is his. */
const apiKeys = [
  { subject: 'alice', name: 'Laptop', isDefault: true },
  { subject: 'alice', name: 'Build server', isDefault: false },
  { subject: 'alice', name: null, isDefault: false },
  { subject: 'bob', name: 'Notebook', isDefault: true },
] as const;

/**
 * Fills an empty database with two people to try things out with.
 * @param em a fork of the entity manager
 * @param issuer the development identity provider
 */
export async function seed(em: EntityManager, issuer: string): Promise<void> {
  if ((await em.count(Account)) > 0) return;
  const now = new Date();
  const ids = new Map<string, Account['id']>();
  for (const subject of ['alice', 'bob']) {
    const account = em.create(Account, { issuer, subject, createdAt: now });
    await em.persist(account).flush();
    ids.set(subject, account.id);
  }
  for (const { subject, ...key } of apiKeys) {
    const keyPrefix = keyPrefixOf(createApiKeySecret());
    const account = ids.get(subject) as Account['id'];
    await em.insert(ApiKey, {
      ...key,
      account,
      keyPrefix,
      isActive: true,
      encryptionVersion: 1,
      createdAt: now,
    });
  }
  const sealedKey = await sealForNobody(randomBytes(32));
  await em.insert(PrivateKey, {
    account: ids.get('alice') as Account['id'],
    sealedKey,
    createdAt: now,
    updatedAt: now,
  });
}

/** A sealed key in its real form (compact JWE, A256GCM), under a key-encryption key that is forgotten at once. */
const sealForNobody = (key: Uint8Array): Promise<string> =>
  new CompactEncrypt(key).setProtectedHeader({ alg: 'dir', enc: 'A256GCM' }).encrypt(randomBytes(32));
