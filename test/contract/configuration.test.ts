import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { environmentSchema } from '../../src/config/environment.ts';
import { configurationPages } from '../../src/dev/configuration-pages.ts';

it.each(configurationPages())('%s matches the schema of the variables', (path, text) => {
  // Where this fails: npm run config:docs
  expect(readFileSync(path, 'utf8')).toBe(text);
});

it('docs/configuration.md has each default as a value that can be set', () => {
  const page = readFileSync('docs/configuration.md', 'utf8');
  const defaults = [...page.matchAll(/^\| (`[A-Z_]+` \| .*?) \|/gm)].map(([, text]) => text);
  expect(defaults.filter((text) => text?.includes('[object'))).toEqual([]);
  expect(defaults).toContain('`AUTH_BROWSER_PARAMETERS` | none');
});

it('docs/configuration.md has every variable once', () => {
  const page = readFileSync('docs/configuration.md', 'utf8');
  const documented = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name);
  expect(documented).toEqual(Object.keys(environmentSchema.shape));
});
