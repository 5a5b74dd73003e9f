import fc from 'fast-check';
import { expect, it } from 'vitest';
import { environmentSchema } from '../../../src/config/environment.ts';
import { strayVariables } from '../../../src/config/stray-variables.ts';

const ours = Object.keys(environmentSchema.shape);

it('any misspelt variable → refused, with the correct name', () => {
  /** A letter that is missing, doubled, replaced, or in the place of the next one. */
  const slips = [
    (name: string, at: number) => name.slice(0, at) + name.slice(at + 1),
    (name: string, at: number) => name.slice(0, at) + name[at] + name.slice(at),
    (name: string, at: number) => `${name.slice(0, at)}X${name.slice(at + 1)}`,
    (name: string, at: number) => `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`,
  ];
  // A swap is two wrong letters: too many for a short name.
  const names = fc.constantFrom(...ours.filter((name) => name.length >= 8));
  fc.assert(
    fc.property(names, fc.constantFrom(...slips), fc.nat(), (name, slip, place) => {
      const misspelt = slip(name, place % (name.length - 1));
      fc.pre(!ours.includes(misspelt));
      expect(strayVariables([misspelt])).toEqual([
        expect.stringMatching(`^${misspelt} is no variable of Keyward: did you mean [A-Z_]+\\?$`),
      ]);
    }),
    { numRuns: 2000 },
  );
});
