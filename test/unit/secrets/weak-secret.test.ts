import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isWeak } from '../../../src/secrets/secret-list.ts';

const bytes = (length: number, at: (index: number) => number) =>
  Buffer.from(Array.from({ length }, (_, index) => at(index)));

describe('isWeak', () => {
  it.each<[string, Buffer]>([
    ['nothing but zeros', Buffer.alloc(32)],
    ['one byte', Buffer.alloc(32, 0xa5)],
    ['two bytes in turn', bytes(32, (index) => (index % 2 === 0 ? 0xfe : 0x81))],
    ['one random byte among zeros', bytes(32, (index) => (index === 9 ? 0xc3 : 0))],
    ['15 distinct bytes in disorder', bytes(32, (index) => 0x80 + (((index * index) ^ (index * 7)) % 15))],
    ['14 random bytes and zeros', Buffer.concat([randomBytes(14), Buffer.alloc(18)])],
    ['a pattern of 8', Buffer.concat(Array(4).fill(randomBytes(8)))],
    ['a pattern of 16', Buffer.concat(Array(2).fill(randomBytes(16)))],
    ['a pattern of 16 and a half', Buffer.concat(Array(3).fill(randomBytes(16))).subarray(0, 40)],
    ['counting up', bytes(32, (index) => index)],
    ['counting up from 200, around the end', bytes(32, (index) => 200 + index * 2)],
    ['counting down', bytes(32, (index) => 0xff - index)],
    ['counting by 7', bytes(32, (index) => 128 + index * 7)],
    ['words', Buffer.from('correct horse battery staple, or so')],
    ['words of another script', Buffer.from('съешь ещё этих мягких')],
    ['hexadecimal digits', Buffer.from(randomBytes(32).toString('hex'))],
    ['base64 twice', Buffer.from(randomBytes(32).toString('base64'))],
  ])('%s → weak', (_what, secret) => {
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(isWeak(secret)).toBe(true);
  });

  it.each([32, 33, 48, 64])('a random secret of %i bytes → not weak', (length) => {
    expect(Array.from({ length: 5000 }, () => randomBytes(length)).filter(isWeak)).toEqual([]);
  });
});
