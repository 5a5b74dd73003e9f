import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/core';
import { createApiKeySecret, keyPrefixOf } from '../api-keys/api-key-secret.ts';
import { Account, type AccountId, ApiKey, ApiKeySecret, PrivateKey } from '../database/tables.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { Secrets } from '../secrets/secrets.ts';

/** The accounts of the seed. */
const holders = [
  { subject: 'alice', kind: 'person' },
  { subject: 'bob', kind: 'person' },
  { subject: 'acme', kind: 'organization' },
] as const;

/** The API keys of the seed: ids 1, 2 and 3 belong to alice, id 4 to bob. The organisation has none yet. */
const apiKeys = [
  { subject: 'alice', name: 'Laptop', isDefault: true },
  { subject: 'alice', name: 'Build server', isDefault: false },
  { subject: 'alice', name: null, isDefault: false },
  { subject: 'bob', name: 'Notebook', isDefault: true },
] as const;

/**
 * Fills an empty database with the accounts of two people and an organisation, to try things out.
 * @param em a fork of the entity manager
 * @param issuer the issuer identifier of the development identity provider
 * @param secrets the secrets that hash the API keys and seal the private key
 * @param keyPrefix the beginning of every API key
 */
export async function seed(
  em: EntityManager,
  issuer: string,
  { peppers, sealer }: Secrets,
  keyPrefix: string,
): Promise<void> {
  if ((await em.count(Account)) > 0) return;
  const now = new Date();
  const ids = new Map<string, AccountId>();
  for (const holder of holders)
    ids.set(holder.subject, await em.insert(Account, { issuer, ...holder, createdAt: now }));
  for (const { subject, ...key } of apiKeys) {
    const secret = createApiKeySecret(keyPrefix);
    const account = ids.get(subject) as AccountId;
    const apiKey = await em.insert(ApiKey, {
      ...key,
      account,
      keyPrefix: keyPrefixOf(secret),
      isActive: true,
      encryptionVersion: 1,
      createdAt: now,
    });
    // A key like any other, but its secret is never shown to anyone.
    const { digest, version } = peppers.digest(secret);
    await em.insert(ApiKeySecret, { apiKey, digest, pepperVersion: version });
  }
  await storePrivateKey(em, ids.get('alice') as AccountId, sealer);
}

/**
 * Stores a sealed private key. The seal binds the row's id, so the row comes first; in the transaction, no reader
 * sees the row without its key.
 */
const storePrivateKey = (em: EntityManager, account: AccountId, sealer: Sealer): Promise<void> =>
  em.transactional(async (transaction) => {
    const now = new Date();
    const rowId = await transaction.insert(PrivateKey, {
      account,
      sealedKey: '',
      createdAt: now,
      updatedAt: now,
    });
    const { jwe } = await sealer.seal(randomBytes(32), { purpose: 'private-key', accountId: account, rowId });
    await transaction.nativeUpdate(PrivateKey, rowId, { sealedKey: jwe });
  });
