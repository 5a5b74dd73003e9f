import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createApiKeySecret, isApiKeySecret } from '../../../src/api-keys/api-key-secret.ts';
import { anyCharacter } from '../../support/any-json.ts';

const secrets = Array.from({ length: 200 }, () => createApiKeySecret());

it('a secret with any one character changed → refused', () => {
  const character = fc.oneof(
    fc.constantFrom(...'0123456789abcdefABCDEFsk-. \n'),
    fc.string({ unit: anyCharacter }),
  );
  const change = fc.tuple(fc.constantFrom(...secrets), fc.nat(73), character);
  fc.assert(
    fc.property(change, ([original, at, other]) => {
      fc.pre(other !== original[at]);
      expect(isApiKeySecret(original.slice(0, at) + other + original.slice(at + 1))).toBe(false);
    }),
    { numRuns: 1000 },
  );
});
