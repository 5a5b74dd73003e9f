import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../../web/console/styles');

/** The declarations of the console's styles, as `base.css: font-size: 1rem`. */
const declarations = globSync('*.css', { cwd: folder })
  .filter((file) => file !== 'tokens.css')
  .flatMap((file) => {
    const styles = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    return [...styles.matchAll(/([a-z-]+): ([^;{}]+);/g)].map(([, name = '', value = '']) => ({
      name,
      value,
      text: `${file}: ${name}: ${value}`,
    }));
  });

const notFrom = (names: RegExp, raw: RegExp): string[] =>
  declarations.filter(({ name, value }) => names.test(name) && raw.test(value)).map(({ text }) => text);

// Sizes relative to the text around are no steps of their own.
describe('the styles of the console use the steps in tokens.css', () => {
  it('for the size of text', () => {
    expect(declarations.length).toBeGreaterThan(500);
    expect(notFrom(/^font(-size)?$/, /\d(rem|px|pt|%)/)).toEqual([]);
  });

  it('for the weight of text', () => {
    expect(notFrom(/^font-weight$/, /\d/)).toEqual([]);
  });

  it('for gaps, margins and paddings, except nudges of up to 3 px', () => {
    expect(notFrom(/^(gap|margin|padding)/, /\d\.?\d*rem|([4-9]|\d\d)px/)).toEqual([]);
  });
});
