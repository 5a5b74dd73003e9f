import { generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  findKey,
  type KeySet,
  parseVerificationKey,
  UnusableKeySet,
} from '../../../src/auth/verification-key.ts';

const jwkOf = (publicKey: KeyObject, members: object = {}): Record<string, unknown> => ({
  ...(publicKey.export({ format: 'jwk' }) as JsonWebKey),
  kid: 'k',
  ...members,
});

const rsaKey = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).publicKey;
const ecKey = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;

const rsa = rsaKey(2048);
const p256 = ecKey('P-256');
const ed25519 = generateKeyPairSync('ed25519').publicKey;

const allRsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

describe('a verification key', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['RSA', jwkOf(rsa), allRsa],
    ['RSA for signatures', jwkOf(rsa, { use: 'sig' }), allRsa],
    ['RSA that verifies', jwkOf(rsa, { key_ops: ['verify'] }), allRsa],
    ['RSA bound to PS256', jwkOf(rsa, { alg: 'PS256' }), ['PS256']],
    ['P-256', jwkOf(p256), ['ES256']],
    ['P-256 bound to ES256', jwkOf(p256, { alg: 'ES256', use: 'sig' }), ['ES256']],
    ['P-384', jwkOf(ecKey('P-384')), ['ES384']],
    ['P-521', jwkOf(ecKey('P-521')), ['ES512']],
    ['Ed25519', jwkOf(ed25519), ['EdDSA', 'Ed25519']],
    ['Ed25519 bound to EdDSA', jwkOf(ed25519, { alg: 'EdDSA' }), ['EdDSA']],
  ])('is read from %s', (_what, jwk, algorithms) => {
    const key = parseVerificationKey(jwk);
    expect(key).toMatchObject({ kid: 'k', algorithms });
    expect(key?.publicKey.type).toBe('public');
  });

  it('is the public half of the published key', () => {
    expect(parseVerificationKey(jwkOf(rsa))?.publicKey.equals(rsa)).toBe(true);
  });
});

describe('the key that a token names', () => {
  const setOf = (...published: object[]): KeySet =>
    published.map(parseVerificationKey).filter((key) => key !== undefined);
  const nameless = (key: KeyObject, members: object = {}) => jwkOf(key, { kid: undefined, ...members });

  it('a `kid` → the key with that id, or none', () => {
    const keys = setOf(jwkOf(rsa), jwkOf(p256, { kid: 'other' }));
    expect(findKey(keys, 'k', 'RS256')?.publicKey.equals(rsa)).toBe(true);
    expect(findKey(keys, 'nobody', 'RS256')).toBeUndefined();
  });

  it('no `kid` → the only key for its algorithm', () => {
    const keys = setOf(nameless(rsa), nameless(p256), nameless(ed25519));
    expect(keys.length).toBe(3);
    expect(findKey(keys, undefined, 'RS256')?.publicKey.equals(rsa)).toBe(true);
    expect(findKey(keys, undefined, 'ES256')?.publicKey.equals(p256)).toBe(true);
    expect(findKey(keys, undefined, 'EdDSA')?.publicKey.equals(ed25519)).toBe(true);
    expect(findKey(keys, undefined, 'ES384')).toBeUndefined();
  });

  it.each<[string, object, object]>([
    ['without names', nameless(p256), nameless(ecKey('P-256'))],
    ['one of them with a name', nameless(p256), jwkOf(ecKey('P-256'))],
    ['one of them for this algorithm alone', nameless(p256), jwkOf(ecKey('P-256'), { alg: 'ES256' })],
  ])('no `kid`, and several keys for its algorithm → none: %s', (_what, one, other) => {
    expect(findKey(setOf(one, other), undefined, 'ES256')).toBeUndefined();
    expect(findKey(setOf(one), undefined, 'ES256')).toBeDefined();
  });

  it.each([null, 1, '', ['k'], {}])('the `kid` %j → none', (kid) => {
    expect(findKey(setOf(nameless(rsa)), kid, 'RS256')).toBeUndefined();
  });
});

describe('a published key that cannot be used', () => {
  const { n: _n, ...withoutModulus } = jwkOf(rsa);
  it.each<[string, unknown]>([
    ['one for encryption', jwkOf(rsa, { use: 'enc' })],
    ['one with an unknown use', jwkOf(rsa, { use: 'tls' })],
    ['one that only encrypts', jwkOf(rsa, { key_ops: ['encrypt', 'wrapKey'] })],
    ['one that only signs', jwkOf(rsa, { key_ops: ['sign'] })],
    ['one whose key_ops is no list', jwkOf(rsa, { key_ops: 'verify' })],
    ['RSA of 1024 bits', jwkOf(rsaKey(1024))],
    ['RSA of 2040 bits', jwkOf(rsaKey(2040))],
    ['RSA bound to an algorithm of another type', jwkOf(rsa, { alg: 'ES256' })],
    ['RSA bound to encryption', jwkOf(rsa, { alg: 'RSA-OAEP' })],
    ['RSA bound to HS256', jwkOf(rsa, { alg: 'HS256' })],
    ['P-256 bound to ES384', jwkOf(p256, { alg: 'ES384' })],
    ['secp256k1', jwkOf(ecKey('secp256k1'))],
    ['Ed448', jwkOf(generateKeyPairSync('ed448').publicKey)],
    ['X25519', jwkOf(generateKeyPairSync('x25519').publicKey)],
    ['Ed25519 bound to ES256', jwkOf(ed25519, { alg: 'ES256' })],
    ['a symmetric one', { kty: 'oct', kid: 'k', k: 'c2VjcmV0', alg: 'HS256' }],
    ['a symmetric one under an asymmetric name', { kty: 'oct', kid: 'k', k: 'c2VjcmV0', alg: 'RS256' }],
    ['one whose kid is a number', jwkOf(rsa, { kid: 5 })],
    ['one of no type', jwkOf(rsa, { kty: undefined })],
    ['one named after what objects inherit', { kty: 'EC', crv: 'constructor', kid: 'k', x: 'AA', y: 'AA' }],
    ['RSA without modulus', withoutModulus],
    ['a point that is not on its curve', jwkOf(p256, { x: 'A'.repeat(43) })],
    ['nothing', null],
    ['a list', []],
    ['a word', 'k'],
    ['an empty object', {}],
  ])('%s → no verification key', (_what, published) => {
    expect(parseVerificationKey(published)).toBeUndefined();
  });
});

describe('a key set without a usable key', () => {
  const good = rsa.export({ format: 'jwk' });
  const none = 'no key of the set can be used';

  it.each<[string, unknown, string]>([
    ['for encryption', { ...good, kid: 'a', use: 'enc' }, 'the key "a" has `use` "enc"'],
    [
      'bound to encryption twice',
      { ...good, kid: 'a', use: 'enc', alg: 'RSA-OAEP' },
      'the key "a" has `use` "enc" and `alg` "RSA-OAEP"',
    ],
    ['that only signs', { ...good, kid: 'a', key_ops: ['sign'] }, 'the key "a" has `key_ops` ["sign"]'],
    [
      'too weak',
      { ...rsaKey(1024).export({ format: 'jwk' }), kid: 'a' },
      'the key "a" is of RSA with 1024 bits',
    ],
    ['without a modulus', { kty: 'RSA', kid: 'a', n: 5, e: 'AQAB' }, 'the key "a" is of the type "RSA"'],
    ['symmetric', { kty: 'oct', kid: 'a', k: 'c4n4ry' }, 'the key "a" is of the type "oct"'],
    [
      'of another curve',
      { kty: 'EC', crv: 'secp256k1', kid: 'a', x: 'AA', y: 'AA' },
      'the key "a" is of the type "EC" "secp256k1"',
    ],
    ['whose id is a number', { ...good, kid: 5 }, 'the key 5 has `kid` 5'],
    ['none at all', 'x'.repeat(100), `"${'x'.repeat(63)} is no key`],
  ])('a key %s → the error says why', (_what, key, reason) => {
    expect(new UnusableKeySet([key]).message).toBe(`${none}: ${reason}`);
  });

  it('25 keys → the error names the first twenty', () => {
    const keys = Array.from({ length: 25 }, (_, index) => ({ ...good, kid: `key-${index}`, use: 'enc' }));
    const { message } = new UnusableKeySet(keys);
    expect(message.split('; ')).toHaveLength(21);
    expect(message).toContain('"key-19"');
    expect(message).toMatch(/; 5 more$/);
    expect(new UnusableKeySet([]).message).toBe(none);
  });
});
