import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { canary, shapes, told, variables } from '../../support/faulty-values.ts';
import { createTemporaryFolder } from '../../support/process.ts';

it.each(variables)('a wrong value of %s → the message does not repeat it', (name) => {
  for (const value of [...shapes, JSON.stringify([{ [canary]: canary }])])
    expect(told({ [name]: value })).not.toContain(canary);
});

// The file of PLANS_FILE is read later, by `readPlans`.
it.each(variables.filter((name) => name.endsWith('_FILE') && name !== 'PLANS_FILE'))(
  'a wrong value in the file of %s → the message names the variable, and does not repeat the value',
  async (name) => {
    await using folder = await createTemporaryFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, canary);
    expect(told({ [name]: file })).toContain(name);
    expect(told({ [name]: file })).not.toContain(canary);
  },
);
