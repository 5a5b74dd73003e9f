import { closest, distance } from 'fastest-levenshtein';
import { environmentSchema } from './environment.ts';

const ours = Object.keys(environmentSchema.shape);

/**
 * The number of wrong letters that still counts as a misspelling. Short names allow fewer, because many names are two
 * letters away from HOST.
 */
const slips = (name: string): number => (name.length < 8 ? 1 : 2);

// Compares the lengths first, because each start runs this for every pair of names.
const isMisspelt = (name: string): boolean =>
  ours.some(
    (each) => Math.abs(each.length - name.length) <= slips(each) && distance(name, each) <= slips(each),
  );

/**
 * Finds a fault in each unknown variable whose name is almost one of Keyward's. Otherwise such a variable would have no
 * effect, and the operator would not notice.
 * @param names the names of the set variables; the values do not matter
 */
export const strayVariables = (names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const spelling = name.toUpperCase();
    if (ours.includes(name) || !isMisspelt(spelling)) return [];
    return `${name} is no variable of Keyward: did you mean ${closest(spelling, ours)}?`;
  });
