import { CompactEncrypt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { type Binding, createSealer } from '../../../src/secrets/sealer.ts';
import type { VersionedKey } from '../../../src/secrets/secret-list.ts';
import { secretListOf } from '../../support/secrets.ts';

const keys = secretListOf(1);
const sealer = createSealer(keys);
const binding: Binding = { purpose: 'api-key', accountId: 7, rowId: 12 };
const stored = { ...binding, version: 1 };
const secret = Buffer.from('sk-abc123.0123456789');

const broken = expect.objectContaining({
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Internal Server Error',
  reason: 'seal-broken',
  cause: new Error('The sealed value was changed, or belongs to another place'),
});

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The characters of base64url that differ from one in a single bit. */
const neighbours = (character: string) =>
  [1, 2, 4, 8, 16, 32].map((bit) => alphabet[alphabet.indexOf(character) ^ bit] ?? '');

describe('sealing', () => {
  it('a secret → a compact JWE that says how it is encrypted, for what, and under which version', async () => {
    const { jwe, version } = await sealer.seal(secret, binding);
    expect(version).toBe(1);
    expect(jwe).toMatch(/^[\w-]+\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(decodeProtectedHeader(jwe)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: '1',
      purpose: 'api-key',
      account: 7,
      row: 12,
    });
    expect(Buffer.from(jwe.split('.')[3] ?? '', 'base64url').includes(secret)).toBe(false);
  });

  it('the same secret 100 times → 100 different nonces', async () => {
    const sealed = await Promise.all(Array.from({ length: 100 }, () => sealer.seal(secret, binding)));
    expect(new Set(sealed.map(({ jwe }) => jwe.split('.')[2])).size).toBe(100);
  });

  it.each([0, 1, 300])('%i bytes, sealed and opened → the same bytes', async (length) => {
    const plaintext = Buffer.from(Array.from({ length }, (_, index) => index & 255));
    const { jwe } = await sealer.seal(plaintext, binding);
    expect(Buffer.from(await sealer.open(jwe, stored))).toEqual(plaintext);
  });
});

describe('opening a sealed value', () => {
  // 20 and 21 bytes: one fills its last character of base64url, the other does not.
  it.each([20, 21, 22])('any character of %i bytes changed → refused', async (length) => {
    const { jwe } = await sealer.seal(Buffer.alloc(length, 'x'), binding);
    for (const at of Array(jwe.length).keys())
      for (const other of [...neighbours(jwe[at] ?? ''), '=', ' ', '\n', ''])
        await expect(sealer.open(jwe.slice(0, at) + other + jwe.slice(at + 1), stored)).rejects.toEqual(
          broken,
        );
  });

  it('any bit changed → refused', async () => {
    const { jwe } = await sealer.seal(secret, binding);
    const parts = jwe.split('.').map((part) => Buffer.from(part, 'base64url'));
    for (const part of parts)
      for (const bit of Array(part.length * 8).keys()) {
        const mask = 1 << (bit % 8);
        part.writeUInt8(part.readUInt8(bit >> 3) ^ mask, bit >> 3);
        const changed = parts.map((each) => each.toString('base64url')).join('.');
        await expect(sealer.open(changed, stored)).rejects.toEqual(broken);
        part.writeUInt8(part.readUInt8(bit >> 3) ^ mask, bit >> 3);
      }
    expect(parts.map((each) => each.toString('base64url')).join('.')).toBe(jwe);
    await expect(sealer.open(jwe, stored)).resolves.toBeDefined();
  });

  it.each<[string, Partial<Binding>]>([
    ['for another account', { accountId: 8 }],
    ['in another row', { rowId: 13 }],
    ['for another purpose', { purpose: 'private-key' }],
    ['where account and row have changed places', { accountId: 12, rowId: 7 }],
  ])('%s → refused', async (_what, other) => {
    const { jwe } = await sealer.seal(secret, binding);
    await expect(sealer.open(jwe, { ...stored, ...other })).rejects.toEqual(broken);
  });

  it('a part replaced by that of another value → refused', async () => {
    const [one, two] = await Promise.all([sealer.seal(secret, binding), sealer.seal(secret, binding)]);
    for (const at of [2, 3, 4]) {
      const parts = one.jwe.split('.');
      parts[at] = two.jwe.split('.')[at] ?? '';
      await expect(sealer.open(parts.join('.'), stored)).rejects.toEqual(broken);
    }
  });

  it('sealed under another secret of the same version → refused', async () => {
    const { jwe } = await createSealer(secretListOf(1)).seal(secret, binding);
    await expect(sealer.open(jwe, stored)).rejects.toEqual(broken);
  });

  it.each(['', '.', '....', 'a..b.c.d', 'null', '{}', 'ünïcödé....', `${'.'.repeat(1000)}`])(
    '%j → refused',
    async (text) => {
      await expect(sealer.open(text, stored)).rejects.toEqual(broken);
    },
  );

  it.each<[string, object]>([
    ['compressed', { zip: 'DEF' }],
    ['with another member in its header', { admin: true }],
    ['under another algorithm', { enc: 'A128CBC-HS256' }],
  ])('sealed by the right key, but %s → refused', async (_what, members) => {
    const [{ key }] = keys;
    const header = { alg: 'dir', enc: 'A256GCM', kid: '1', purpose: 'api-key', account: 7, row: 12 };
    const jwe = await new CompactEncrypt(secret).setProtectedHeader({ ...header, ...members }).encrypt(key);
    await expect(sealer.open(jwe, stored)).rejects.toEqual(broken);
  });
});

describe('versions', () => {
  const [two, one] = secretListOf(2, 1) as readonly [VersionedKey, VersionedKey];
  const before = createSealer([one]);
  const rotated = createSealer([two, one]);
  const after = createSealer([two]);

  it('several → the first seals, all open', async () => {
    const old = await before.seal(secret, binding);
    const renewed = await rotated.seal(secret, binding);
    expect([old.version, renewed.version]).toEqual([1, 2]);
    for (const { jwe, version } of [old, renewed])
      expect(Buffer.from(await rotated.open(jwe, { ...binding, version }))).toEqual(secret);
    await expect(after.open(renewed.jwe, { ...binding, version: 2 })).resolves.toBeDefined();
  });

  it('a value opened as that of another version → refused', async () => {
    const { jwe } = await before.seal(secret, binding);
    await expect(rotated.open(jwe, { ...binding, version: 2 })).rejects.toEqual(broken);
  });

  it('a value opened as that of another version with the same secret → refused', async () => {
    const twins = createSealer([two, { ...two, version: 3 }]);
    const { jwe } = await twins.seal(secret, binding);
    await expect(twins.open(jwe, { ...binding, version: 3 })).rejects.toEqual(broken);
  });

  it('a version that is not configured → only the log names it', async () => {
    const { jwe, version } = await before.seal(secret, binding);
    await expect(after.open(jwe, { ...binding, version })).rejects.toEqual(
      expect.objectContaining({
        code: 'INTERNAL_SERVER_ERROR',
        message: 'Internal Server Error',
        reason: 'encryption-key-missing',
        cause: new Error('KEY_ENCRYPTION_KEYS has no version 1'),
      }),
    );
  });
});
