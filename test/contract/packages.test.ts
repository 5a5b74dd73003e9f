import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

describe('package.json', () => {
  it('names exact versions', () => {
    const { dependencies, devDependencies, overrides } = JSON.parse(read('package.json'));
    for (const version of Object.values({ ...dependencies, ...devDependencies, ...overrides }))
      expect(version).toMatch(/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/);
  });
});

describe('package-lock.json', () => {
  it('names no registry: whoever installs has their own', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });
});
