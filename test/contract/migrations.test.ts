import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/process.ts';

/** The SHA-256 of each migration. A new one is added; none is ever changed: somewhere it was applied as it was. */
const landed = {
  postgresql: {
    'Migration20261123090000.ts': '92574efd5c1829d6ba3117ab141f030d166e349f50439d92a87e87573d513bcc',
  },
  sqlite: {
    'Migration20261123090000.ts': 'a42a8796fb6af85f11557223f4b9a258672be47662071dfca041101cc2756316',
  },
};

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

it.each(Object.entries(landed))('of %s are never edited once they have landed', (database, digests) => {
  const files = globSync(join(root, 'src/database/migrations', database, '*.ts'));
  const found = files.map((file) => [basename(file), digest(file)]);
  expect(Object.fromEntries(found)).toEqual(digests);
});
