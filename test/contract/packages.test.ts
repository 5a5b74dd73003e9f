import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('package.json', () => {
  it('names exact versions', () => {
    const { dependencies, devDependencies, overrides } = JSON.parse(read('package.json'));
    // An override may be for one package alone, and may be the version that is named above.
    const forced = Object.values<string | Record<string, string>>(overrides).flatMap((forOne) =>
      typeof forOne === 'string' ? forOne : Object.values(forOne),
    );
    for (const version of [...Object.values({ ...dependencies, ...devDependencies }), ...forced])
      expect(version).toMatch(/^(\$[\w-]+|(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?)$/);
  });
});

describe('package-lock.json', () => {
  it('names no registry: whoever installs has their own', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });
});
