import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, runCommand } from '../support/process.ts';
import { canRun } from '../support/programs.ts';
import { debianPython, hasPythonFrameworks } from '../support/python-package.ts';

const hasFrameworks = hasPythonFrameworks('the tests of the package for Python are not run');
const hasPypy = canRun('pypy3', 'the tests of the package for Python are not run with it');

// They wait for time-outs and for a circuit that closes again.
describe('the tests of the package for Python itself', { timeout: 300_000 }, () => {
  const pythons: readonly (readonly [name: string, program: string, isHere: boolean])[] = [
    ['Python', debianPython, hasFrameworks],
    ['PyPy', 'pypy3', hasPypy],
  ];
  for (const [name, program, isHere] of pythons)
    it.runIf(isHere)(`all pass with ${name}`, async () => {
      const options = {
        cwd: join(root, 'packages/python'),
        env: { PATH: process.env['PATH'] ?? '', PYTHONDONTWRITEBYTECODE: '1' },
        timeout: 280_000,
      };
      const { code, stderr } = await runCommand([program, '-m', 'unittest'], options);
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^Ran \d{2,} tests/m),
      });
    });
});
