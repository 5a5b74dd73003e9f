import { describe, expect, it } from 'vitest';
import { decodeToken } from '../../../src/auth/access-token.ts';
import { readBearerToken } from '../../../src/auth/caller.ts';

const read = (authorization: string) => readBearerToken({ authorization });
const tokenOf = (length: number) => `e30.${'a'.repeat(length - 6)}.s`;

describe('a token', () => {
  it.each(['Bearer e30.e30.s', 'bearer e30.e30.s', 'BEARER  e30.e30.s', '  Bearer e30.e30.s '])(
    'is read from %j',
    (header) => {
      expect(read(header)).toBe('e30.e30.s');
    },
  );

  it('of 8 KiB is read; with one character more it is refused', () => {
    expect(read(`Bearer ${tokenOf(8192)}`)).toHaveLength(8192);
    expect(() => read(`Bearer ${tokenOf(8193)}`)).toThrow(
      expect.objectContaining({ code: 'UNAUTHENTICATED', reason: 'token-too-long' }),
    );
  });
});

describe('a header without a bearer token', () => {
  it.each(['', 'Basic YWxpY2U6eA==', 'Bearere30.e30.s', 'DPoP e30.e30.s', 'e30.e30.s'])(
    '%j → no token',
    (header) => {
      expect(read(header)).toBeUndefined();
    },
  );
});

describe('a bearer token that is no JWT', () => {
  it.each([
    'Bearer',
    'Bearer ',
    'Bearer abc',
    'Bearer e30.e30',
    'Bearer e30.e30.',
    'Bearer e30..s',
    'Bearer e30.e30.s.t.u',
    'Bearer e30.e30.s=',
    'Bearer e30.e30.s e30.e30.s',
    'Bearer e30.e30.s, Bearer e30.e30.s',
    'Bearer e30.é.s',
  ])('is refused: %j', (header) => {
    expect(() => decodeToken(read(header) ?? '')).toThrow(
      expect.objectContaining({
        code: 'UNAUTHENTICATED',
        message: 'Could not validate credentials',
        reason: 'token-malformed',
      }),
    );
  });
});
