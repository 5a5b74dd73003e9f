import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createApiKeySecret,
  isApiKeySecret,
  keyPrefixOf,
  patternOfKeys,
} from '../../../src/api-keys/api-key-secret.ts';
import { root } from '../../support/process.ts';

const secrets = Array.from({ length: 2000 }, () => createApiKeySecret());

/** CRC-32 by its definition (ISO 3309, reflected), bit by bit. */
const crc32 = (text: string): number => {
  let crc = 0xffff_ffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return ~crc >>> 0;
};

describe('createApiKeySecret', () => {
  it('a secret → 74 characters, as the web client checks them', () => {
    for (const secret of secrets) {
      expect(secret).toHaveLength(74);
      expect(secret).toMatch(/^sk-[a-z0-9]{6}\.[0-9a-f]{64}$/);
    }
  });

  it('a secret → ends in the CRC-32 of what stands before', () => {
    expect(crc32('123456789')).toBe(0xcbf4_3926);
    for (const secret of secrets) {
      expect(secret.slice(-8)).toBe(crc32(secret.slice(0, -8)).toString(16).padStart(8, '0'));
    }
  });

  it('2,000 secrets → no two are the same', () => {
    expect(new Set(secrets).size).toBe(secrets.length);
    expect(new Set(secrets.map((secret) => secret.slice(10, 66))).size).toBe(secrets.length);
  });

  it('2,000 secrets → every letter and digit is in some prefix', () => {
    const letters = new Set(secrets.flatMap((secret) => [...secret.slice(3, 9)]));
    expect([...letters].sort().join('')).toBe('0123456789abcdefghijklmnopqrstuvwxyz');
  });
});

describe('keyPrefixOf', () => {
  it('a secret → the part before the dot, for any beginning of keys', () => {
    expect(keyPrefixOf(`sk-a1b2c3.${'0'.repeat(64)}`)).toBe('sk-a1b2c3');
    expect(keyPrefixOf(createApiKeySecret('acme_live_'))).toMatch(/^acme_live_[a-z0-9]{6}$/);
  });
});

describe('isApiKeySecret', () => {
  const [secret = ''] = secrets;
  const withChecksum = (body: string) => body + crc32(body).toString(16).padStart(8, '0');

  it('every secret that was created → true', () => {
    expect(secrets.filter((each) => !isApiKeySecret(each))).toEqual([]);
  });

  it('any character replaced by any other hexadecimal digit → false', () => {
    for (const at of Array(secret.length).keys()) {
      for (const other of [...'0123456789abcdef'].filter((digit) => digit !== secret[at]))
        expect(isApiKeySecret(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(false);
    }
  });

  it('two neighbouring characters swapped → false', () => {
    for (const at of Array(secret.length - 1).keys()) {
      const swapped = `${secret.slice(0, at)}${secret[at + 1]}${secret[at]}${secret.slice(at + 2)}`;
      expect(isApiKeySecret(swapped)).toBe(swapped === secret);
    }
  });

  const random = '0123456789abcdef'.repeat(4).slice(8);
  it.each<[string, string]>([
    ['nothing', ''],
    ['its beginning', secret.slice(0, 9)],
    ['a character too few', withChecksum(`sk-a1b2c3.${random.slice(1)}`)],
    ['a character too many', withChecksum(`sk-a1b2c3.${random}0`)],
    ['a line end', `${secret}\n`],
    ['a space before', ` ${secret}`],
    ['a megabyte', secret.repeat(14_000)],
    ['capitals', secret.toUpperCase()],
    ['capital digits, and the checksum of them', withChecksum(`sk-a1b2c3.${random.toUpperCase()}`)],
    ['a capital in the prefix', withChecksum(`sk-A1b2c3.${random}`)],
    ['no beginning', withChecksum(`a1b2c3.${random}`)],
    ['a beginning without an end', withChecksum(`sk.a1b2c3.${random}`)],
    ['a beginning that is too long', withChecksum(`${'a'.repeat(20)}_a1b2c3.${random}`)],
    ['a digit at the beginning', withChecksum(`1k-a1b2c3.${random}`)],
    ['two keys', secret + secret],
    ['no dot', withChecksum(`sk-a1b2c3-${random}`)],
    ['a letter that is no digit', withChecksum(`sk-a1b2c3.${random.replace('0', 'g')}`)],
    ['digits of another script', withChecksum(`sk-a1b2c3.${random.replace('0', '٠')}`)],
  ])('%s → false', (_what, text) => {
    expect(isApiKeySecret(text)).toBe(false);
  });

  it.each(['sk-', 'pk-', 'acme_', 'a_', `${'a'.repeat(19)}-`])(
    'the right shape and checksum after %s → true',
    (beginning) => {
      expect(isApiKeySecret(withChecksum(`${beginning}a1b2c3.${random}`))).toBe(true);
    },
  );

  it('a megabyte that would make a pattern backtrack for hours → false, at once', () => {
    const hostile = ['a-'.repeat(500_000), `${'a_'.repeat(10)}${'0'.repeat(500_000)}`, '_'.repeat(1_000_000)];
    for (const text of hostile) expect(isApiKeySecret(text)).toBe(false);
  });
});

describe('patternOfKeys', () => {
  it.each(['sk-', 'acme_'])('keys that begin with %s → the pattern in docs/operators.md', (beginning) => {
    const text = readFileSync(join(root, 'docs/operators.md'), 'utf8');
    expect(text).toContain(`\`${patternOfKeys(beginning)}\``);
  });

  it.each(['sk-', 'acme_', 'sk-acme-live_'])(
    'a text with keys that begin with %s → those are found, and no others',
    (beginning) => {
      const mine = Array.from({ length: 50 }, () => createApiKeySecret(beginning));
      const text = mine.map((key) => `key = "${key}"\n${createApiKeySecret('other_')}`).join('\n');
      expect(text.match(new RegExp(patternOfKeys(beginning), 'g'))).toEqual(mine);
    },
  );
});
