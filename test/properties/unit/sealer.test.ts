import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSealer } from '../../../src/secrets/sealer.ts';
import { secretListOf } from '../../support/secrets.ts';

it('any bytes, sealed and opened → the same bytes', () => {
  const sealer = createSealer(secretListOf(1));
  const binding = { purpose: 'api-key', accountId: 7, rowId: 12 } as const;
  return fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300, size: 'max' }), async (plaintext) => {
      const { jwe, version } = await sealer.seal(plaintext, binding);
      expect(Buffer.from(await sealer.open(jwe, { ...binding, version }))).toEqual(Buffer.from(plaintext));
    }),
  );
});
