import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { environmentSchema } from '../../../src/config/environment.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

const canary = 'c4n4ry';
const variables = Object.keys(environmentSchema.shape);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-config-'));
  writeFileSync(join(folder, 'file'), canary);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** All that an operator is told of an environment; nothing where there is no fault. */
const told = (environment: Record<string, string>): string => {
  try {
    loadConfig(environment);
    return '';
  } catch (error) {
    return `${error}`;
  }
};

/** Values that get past the first check of some variable, each with the canary in it. */
const shapes = [
  ...['https://%', 'https://x:%@y', 'http://%.example', 'postgres://u:%@', 'sqlite', '%'],
  ...['1:%', '1:%,1:%', '1:% %', '300/%', '%/60', '1%', 'a=%=b', '=%', '%,*', '10.0.0.0/%', 'RS256,%'],
].map((shape) => shape.replaceAll('%', canary));

/** An issuer with the canary for a member's name or for values. */
const issuers = fc
  .tuple(fc.constantFrom('issuer', 'audience', 'scopeAliases', 'jwksUri', canary), fc.constantFrom(...shapes))
  .map(([name, value]) => JSON.stringify([{ issuer: canary, [name]: value, [`${canary}2`]: [value] }]));

const anyText = fc.tuple(fc.string(), fc.string()).map((around) => around.join(canary));

it('no fault repeats a value, whichever variable it was given to', () => {
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

it.each(variables)('a fault of %s repeats nothing of it', (name) => {
  for (const value of [...shapes, JSON.stringify([{ [canary]: canary }])])
    expect(told({ [name]: value })).not.toContain(canary);
});
