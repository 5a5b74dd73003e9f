import { describe, expect, it } from 'vitest';
import { createApiKeySecret, keyPrefixOf } from '../../../src/api-keys/api-key-secret.ts';

const secrets = Array.from({ length: 2000 }, createApiKeySecret);

/** CRC-32 by its definition (ISO 3309, reflected), bit by bit. */
const crc32 = (text: string): number => {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return ~crc >>> 0;
};

describe('a secret', () => {
  it('reads as the web client checks it: 74 characters', () => {
    for (const secret of secrets) {
      expect(secret).toHaveLength(74);
      expect(secret).toMatch(/^sk-[a-z0-9]{6}\.[0-9a-f]{64}$/);
    }
  });

  it('ends in the CRC-32 of what stands before', () => {
    expect(crc32('123456789')).toBe(0xcbf4_3926);
    for (const secret of secrets) {
      expect(secret.slice(-8)).toBe(crc32(secret.slice(0, -8)).toString(16).padStart(8, '0'));
    }
  });

  it('is never the same twice', () => {
    expect(new Set(secrets).size).toBe(secrets.length);
    expect(new Set(secrets.map((secret) => secret.slice(10, 66))).size).toBe(secrets.length);
  });

  it('uses every letter and digit in its prefix', () => {
    const letters = new Set(secrets.flatMap((secret) => [...secret.slice(3, 9)]));
    expect([...letters].sort().join('')).toBe('0123456789abcdefghijklmnopqrstuvwxyz');
  });
});

describe('keyPrefixOf', () => {
  it('is the first 9 characters', () => {
    expect(keyPrefixOf(`sk-a1b2c3.${'0'.repeat(64)}`)).toBe('sk-a1b2c3');
  });
});
