import { crc32 } from 'node:zlib';
import { createApiKeySecret, keyPrefixOf } from '../../src/api-keys/api-key-secret.ts';

/** Another secret with the same prefix, and a good checksum. */
export function secretOfSamePrefix(secret: string): string {
  const prefix = keyPrefixOf(secret);
  const body = prefix + createApiKeySecret().slice(prefix.length, -8);
  return body + crc32(body).toString(16).padStart(8, '0');
}

/** A secret whose checksum is wrong. */
export const withBadChecksum = (secret: string): string =>
  secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
