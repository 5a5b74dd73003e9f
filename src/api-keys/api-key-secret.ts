import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { prepareQuery } from '../database/db.ts';
import { type ApiKey, ApiKeySecret } from '../database/tables.ts';
import type { OperationContext } from '../operations/context.ts';
import type { PepperedDigest } from '../secrets/peppers.ts';
import type { ApiKeyRecord } from './own-api-key.ts';

const prefixAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** A key after what the operator lets keys begin with: 6 characters, a dot, 64 hexadecimal digits. */
const rest = String.raw`[a-z0-9]{6}\.[0-9a-f]{64}`;

// Any beginning that an operator could have chosen: keys that were made under another go on being good.
const form = new RegExp(`^[a-z][a-z0-9_-]{0,18}[_-]${rest}$`);

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/**
 * A new API key: what keys begin with, 6 characters, a dot, 64 hexadecimal digits (224 random bits and a CRC-32 of all
 * before).
 * @param beginning as `API_KEY_PREFIX` has it
 */
export function createApiKeySecret(beginning = 'sk-'): string {
  const prefix = Array.from({ length: 6 }, () => prefixAlphabet[randomInt(prefixAlphabet.length)]).join('');
  const body = `${beginning}${prefix}.${randomBytes(28).toString('hex')}`;
  return body + checksum(body);
}

/**
 * Whether a text is an API key's secret, by its shape and its checksum: what was mistyped or cut off is known without
 * asking the database.
 */
export const isApiKeySecret = (text: string): boolean =>
  form.test(text) && text.slice(-8) === checksum(text.slice(0, -8));

/** The part of a secret that may be shown, to tell keys apart. */
export const keyPrefixOf = (secret: string): string => secret.slice(0, secret.indexOf('.'));

/** The regular expression by which others find keys in texts: a beginning has no character with a meaning there. */
export const patternOfKeys = (beginning: string): string => beginning + rest;

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
