import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, 'packages/node');

it('the licence is that of the project, and nothing else is needed', () => {
  const licence = (of: string) => readFileSync(join(of, 'LICENSE'), 'utf8');
  expect(licence(folder)).toBe(licence(root));
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('dependencies');
  expect(Object.keys(manifest.peerDependencies)).toEqual(Object.keys(manifest.peerDependenciesMeta));
});
