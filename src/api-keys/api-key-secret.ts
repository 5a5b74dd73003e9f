import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefixAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** How much of a secret is kept as its `keyPrefix`. */
const prefixLength = 'sk-'.length + 6;

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** A new API key: `sk-`, 6 characters, a dot, 64 hexadecimal digits (224 random bits and a CRC-32 of all before). */
export function createApiKeySecret(): string {
  const prefix = Array.from({ length: 6 }, () => prefixAlphabet[randomInt(prefixAlphabet.length)]).join('');
  const body = `sk-${prefix}.${randomBytes(28).toString('hex')}`;
  return body + checksum(body);
}

/**
 * Whether a text is an API key's secret, by its shape and its checksum: what was mistyped or cut off is known without
 * asking the database.
 */
export const isApiKeySecret = (text: string): boolean =>
  /^sk-[a-z0-9]{6}\.[0-9a-f]{64}$/.test(text) && text.slice(-8) === checksum(text.slice(0, -8));

/** The part of a secret that may be shown, to tell keys apart. */
export const keyPrefixOf = (secret: string): string => secret.slice(0, prefixLength);
