import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canary, shapes, told, variables } from '../../support/faulty-values.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-config-'));
  writeFileSync(join(folder, 'file'), canary);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** An issuer with the canary for a member's name or for values. */
const issuers = fc
  .tuple(fc.constantFrom('issuer', 'audience', 'scopeAliases', 'jwksUri', canary), fc.constantFrom(...shapes))
  .map(([name, value]) => JSON.stringify([{ issuer: canary, [name]: value, [`${canary}2`]: [value] }]));

const anyText = fc.tuple(fc.string(), fc.string()).map((around) => around.join(canary));

it('any values of any variables → no message repeats a value', () => {
  const file = fc.constant(join(folder, 'file'));
  const value = fc.oneof(anyText, issuers, file, fc.constantFrom(...shapes));
  const environments = fc.dictionary(fc.constantFrom(...variables), value, { minKeys: 1 });
  let faulty = 0;
  fc.assert(
    fc.property(environments, (environment) => {
      const text = told(environment);
      if (text !== '') faulty += 1;
      expect(text.toLowerCase()).not.toContain(canary);
    }),
    { numRuns: 2000 },
  );
  expect(faulty).toBeGreaterThan(1000);
});
