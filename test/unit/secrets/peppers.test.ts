import { createHash, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPeppers } from '../../../src/secrets/peppers.ts';
import { secretListOf } from '../../support/secrets.ts';

const sha256 = (...parts: readonly Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest();

/** HMAC-SHA-256 by its definition (RFC 2104), for keys of up to 64 bytes. */
const hmac = (key: Buffer, text: string): Buffer => {
  const block = Buffer.concat([key, Buffer.alloc(64 - key.length)]);
  const mixed = (byte: number) => block.map((value) => value ^ byte);
  return sha256(mixed(0x5c), sha256(mixed(0x36), Buffer.from(text)));
};

describe('peppers', () => {
  it('give the HMAC-SHA-256 of a secret', () => {
    // RFC 4231, test case 2.
    const peppers = createPeppers([{ version: 1, key: createSecretKey('Jefe', 'utf8') }]);
    expect(peppers.digest('what do ya want for nothing?').digest.toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('store with the first, and look up with all', () => {
    const list = secretListOf(3, 1, 2);
    const peppers = createPeppers(list);
    const expected = list.map(({ version, key }) => ({ version, digest: hmac(key.export(), 'sk-secret') }));
    expect(peppers.digest('sk-secret')).toEqual(expected[0]);
    expect(peppers.digests('sk-secret')).toEqual(expected);
  });

  it('after a rotation, secrets stored before are still found', () => {
    const old = secretListOf(1);
    const stored = createPeppers(old).digest('sk-secret');
    const rotated = createPeppers([...secretListOf(2), ...old] as const);
    expect(rotated.digest('sk-secret').version).toBe(2);
    expect(rotated.digests('sk-secret')).toContainEqual(stored);
    expect(rotated.digests('sk-another')).not.toContainEqual(stored);
  });
});
