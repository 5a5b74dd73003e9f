import { randomBytes, randomInt } from 'node:crypto';
import { prepareQuery } from '../database/db.ts';
import { type ApiKey, ApiKeySecret } from '../database/tables.ts';
import type { OperationContext, OperationServices } from '../operations/context.ts';
import { checksum } from '../secrets/checksum.ts';
import type { PepperedDigest } from '../secrets/peppers.ts';
import type { ApiKeyRecord } from './own-api-key.ts';

const prefixAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** The pattern of a key after the operator's prefix: 6 characters, a dot, 64 hexadecimal digits. */
const rest = String.raw`[a-z0-9]{6}\.[0-9a-f]{64}`;

// Accepts every possible prefix, because keys with an earlier prefix stay good.
const form = new RegExp(`^[a-z][a-z0-9_-]{0,18}[_-]${rest}$`);

/**
 * Makes the secret of a new API key: the prefix, 6 characters, a dot, 64 hexadecimal digits (224 random bits and a
 * CRC-32 of everything before). `sk-a1b2c3.` and 64 digits.
 * @param beginning the prefix, as in `API_KEY_PREFIX`
 */
export function createApiKeySecret(beginning = 'sk-'): string {
  const prefix = Array.from({ length: 6 }, () => prefixAlphabet[randomInt(prefixAlphabet.length)]).join('');
  const body = `${beginning}${prefix}.${randomBytes(28).toString('hex')}`;
  return body + checksum(body);
}

/**
 * Whether a text has the form and the checksum of an API key's secret. So a mistyped or truncated key is recognised
 * without the database.
 */
export const isApiKeySecret = (text: string): boolean =>
  form.test(text) && text.slice(-8) === checksum(text.slice(0, -8));

/** The public part of a secret, to tell keys apart: everything before the dot. */
export const keyPrefixOf = (secret: string): string => secret.slice(0, secret.indexOf('.'));

/**
 * The regular expression by which scanners find keys in texts. A prefix has no characters with a special meaning in
 * it.
 */
export const patternOfKeys = (beginning: string): string => beginning + rest;

/** A new API key with its secret, which the owner sees once. */
export interface NewApiKey extends ApiKeyRecord {
  /** The secret. The service does not store it, and no other answer shows it. */
  readonly key: string;
}

type NewSecret = Pick<ApiKey, 'id' | 'keyPrefix' | 'createdAt'> & PepperedDigest;

const insertSecret = prepareQuery(
  ApiKeySecret,
  (db, { id, digest, version, keyPrefix, createdAt }: NewSecret) =>
    db.insertInto('api_key_secret').values({
      api_key_id: id,
      digest,
      pepper_version: version,
      key_prefix: keyPrefix,
      created_at: createdAt,
    }),
);

/** Stores the digest of a key's new secret, under the first pepper; the digest finds the secret later. */
export async function storeSecret(
  { db, services: { secrets } }: OperationContext,
  { id, secret, createdAt }: { readonly id: number; readonly secret: string; readonly createdAt: Date },
): Promise<void> {
  const digest = secrets.peppers.digest(secret);
  await insertSecret(db, { id, keyPrefix: keyPrefixOf(secret), createdAt, ...digest });
}

/** Makes the sealed copy of a secret for its key's row, if the configuration asks for it; otherwise null. */
export async function sealSecret(
  { settings, secrets }: Pick<OperationServices, 'settings' | 'secrets'>,
  { id, account }: Pick<ApiKey, 'id' | 'account'>,
  secret: string,
): Promise<Pick<ApiKey, 'encryptedKey' | 'encryptionVersion'>> {
  if (!settings.sealApiKeys) return { encryptedKey: null, encryptionVersion: 1 };
  const binding = { purpose: 'api-key', accountId: account, rowId: id } as const;
  const { jwe, version } = await secrets.sealer.seal(Buffer.from(secret), binding);
  return { encryptedKey: jwe, encryptionVersion: version };
}
