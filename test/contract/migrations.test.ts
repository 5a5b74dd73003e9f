import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/process.ts';

/** The SHA-256 of each migration. A new one is added; none is ever changed: somewhere it was applied as it was. */
const landed = {
  postgresql: {
    'Migration20261123090000.ts': 'fb1ddf22c93870694a56165b2704de0c213718c17964fe26a915b77e2f4fef06',
  },
  sqlite: {
    'Migration20261123090000.ts': 'a9cf3efd8cbeb3270295fda225390393be221897d84f57ebe45c53e5b0906740',
  },
};

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

it.each(Object.entries(landed))('of %s are never edited once they have landed', (database, digests) => {
  const files = globSync(join(root, 'src/database/migrations', database, '*.ts'));
  const found = files.map((file) => [basename(file), digest(file)]);
  expect(Object.fromEntries(found)).toEqual(digests);
});
