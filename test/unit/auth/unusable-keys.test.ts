import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { UnusableKeySet } from '../../../src/auth/unusable-keys.ts';

const rsa = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
const good = rsa(2048);
const none = 'no key of the set can be used';

it.each<[string, unknown, string]>([
  ['for encryption', { ...good, kid: 'a', use: 'enc' }, 'the key "a" has `use` "enc"'],
  [
    'bound to encryption twice',
    { ...good, kid: 'a', use: 'enc', alg: 'RSA-OAEP' },
    'the key "a" has `use` "enc" and `alg` "RSA-OAEP"',
  ],
  ['that only signs', { ...good, kid: 'a', key_ops: ['sign'] }, 'the key "a" has `key_ops` ["sign"]'],
  ['too weak', { ...rsa(1024), kid: 'a' }, 'the key "a" is of RSA with 1024 bits'],
  ['without a modulus', { kty: 'RSA', kid: 'a', n: 5, e: 'AQAB' }, 'the key "a" is of the type "RSA"'],
  ['symmetric', { kty: 'oct', kid: 'a', k: 'c4n4ry' }, 'the key "a" is of the type "oct"'],
  [
    'of another curve',
    { kty: 'EC', crv: 'secp256k1', kid: 'a', x: 'AA', y: 'AA' },
    'the key "a" is of the type "EC" "secp256k1"',
  ],
  ['whose id is a number', { ...good, kid: 5 }, 'the key 5 has `kid` 5'],
  ['none at all', 'x'.repeat(100), `"${'x'.repeat(63)} is no key`],
])('a set with one that is %s says why', (_what, key, reason) => {
  expect(new UnusableKeySet([key]).message).toBe(`${none}: ${reason}`);
});

it('each key is named, up to twenty', () => {
  const keys = Array.from({ length: 25 }, (_, index) => ({ ...good, kid: `key-${index}`, use: 'enc' }));
  const { message } = new UnusableKeySet(keys);
  expect(message.split('; ')).toHaveLength(21);
  expect(message).toContain('"key-19"');
  expect(message).toMatch(/; 5 more$/);
  expect(new UnusableKeySet([]).message).toBe(none);
});
