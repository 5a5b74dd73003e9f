import { prepareQuery } from '../database/prepare-query.ts';
import { type ApiKey, ApiKeySecret } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import type { PepperedDigest } from '../secrets/peppers.ts';
import type { ApiKeyRecord } from './own-api-key.ts';

/** An API key as its owner sees it once: with its secret. */
export interface NewApiKey extends ApiKeyRecord {
  /** The secret. It is not stored, and shown by nothing else. */
  readonly key: string;
}

const insertSecret = prepareQuery(
  ApiKeySecret,
  (db, { id, digest, version }: Pick<ApiKey, 'id'> & PepperedDigest) =>
    db.insertInto('api_key_secret').values({ api_key_id: id, digest, pepper_version: version }),
);

/** Stores by what a key's new secret is found: its digest, under the pepper that writes. */
export async function storeSecret(
  { db, secrets }: OperationContext,
  id: number,
  secret: string,
): Promise<void> {
  await insertSecret(db, { id, ...secrets.peppers.digest(secret) });
}

/** What is kept of a secret in its key's own row: a sealed copy where that is configured, null otherwise. */
export async function sealSecret(
  { limits, secrets }: Pick<OperationContext, 'limits' | 'secrets'>,
  { id, account }: Pick<ApiKey, 'id' | 'account'>,
  secret: string,
): Promise<Pick<ApiKey, 'encryptedKey' | 'encryptionVersion'>> {
  if (!limits.sealApiKeys) return { encryptedKey: null, encryptionVersion: 1 };
  const binding = { purpose: 'api-key', accountId: account, rowId: id } as const;
  const { jwe, version } = await secrets.sealer.seal(Buffer.from(secret), binding);
  return { encryptedKey: jwe, encryptionVersion: version };
}
