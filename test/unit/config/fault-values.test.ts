import { expect, it } from 'vitest';
import { canary, shapes, told, variables } from '../../support/faulty-values.ts';

it.each(variables)('a wrong value of %s → the message does not repeat it', (name) => {
  for (const value of [...shapes, JSON.stringify([{ [canary]: canary }])])
    expect(told({ [name]: value })).not.toContain(canary);
});
