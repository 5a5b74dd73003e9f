import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTestGateway } from '../../support/gateway.ts';
import { expectMoved } from '../../support/imports.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
  .filter((each) => !each.includes('\0'));
const trimmed = text.filter((each) => each.trim() === each);
const moment = fc
  .date({ min: new Date(0), max: new Date('2026-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const permission = fc.stringMatching(/^[a-z0-9._:*-]{1,20}$/);
const someLine = fc.record({
  subject: text,
  name: fc.option(trimmed),
  description: fc.option(trimmed),
  created_at: moment,
  expires_at: fc.option(moment),
  permissions: fc.uniqueArray(permission, { maxLength: 5 }),
  metadata: fc.option(
    fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 4 }),
  ),
  allowed_addresses: fc.uniqueArray(fc.ipV4(), { maxLength: 3 }),
  rate_limit: fc.option(
    fc.record({
      limit: fc.integer({ min: 1, max: 1e6 }),
      window_seconds: fc.integer({ min: 1, max: 86_400 }),
    }),
  ),
  quota: fc.option(fc.record({ limit: fc.nat(1e9), refill: fc.constantFrom('never', 'daily', 'monthly') })),
  is_active: fc.boolean(),
});

it('any keys, exported and imported elsewhere, read the same there', async () => {
  await using elsewhere = await createTestGateway(setup.issuer);
  const begin = async () => {
    for (const gateway of [setup.gateway, elsewhere]) expect(await gateway.reset()).toBe(true);
  };
  const someLines = fc.array(someLine, { minLength: 1, maxLength: 20 });
  const moves = fc.asyncProperty(someLines, (lines) => expectMoved(setup.gateway, elsewhere, lines));
  await fc.assert(moves.beforeEach(begin), { numRuns: 15 });
});
