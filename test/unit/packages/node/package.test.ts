import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, 'packages/node');

it('the types are those of the schema', () => {
  execFileSync(process.execPath, [join(folder, 'generate-types.mjs'), '--check'], { stdio: 'pipe' });
});

it('the README has less than 400 words', () => {
  expect(readFileSync(join(folder, 'README.md'), 'utf8').split(/\s+/).length).toBeLessThan(400);
});

it('the licence is that of the project, and nothing else is needed', () => {
  const licence = (of: string) => readFileSync(join(of, 'LICENSE'), 'utf8');
  expect(licence(folder)).toBe(licence(root));
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('dependencies');
  expect(Object.keys(manifest.peerDependencies)).toEqual(Object.keys(manifest.peerDependenciesMeta));
});
