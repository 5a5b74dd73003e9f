import { spawnSync } from 'node:child_process';

/** The programs whose tests are left out, because the machine of the gate does not have them. */
const without = (process.env['TEST_WITHOUT'] ?? '').split(' ');

/**
 * Whether what needs a program is run. Elsewhere than in CI, it is where the program is installed. In CI it always is,
 * and fails without the program, unless `TEST_WITHOUT` names it. What is not run is said in one line.
 * @param name the name of the program in `.ci/suites.mjs`
 * @param skipped what is not run without it
 * @param probe arguments with which the program succeeds where it can be used
 * @param program its file, if that is not its name
 */
export function canRun(
  name: string,
  skipped: string,
  probe: readonly string[] = ['--version'],
  program = name,
): boolean {
  const isLeftOut = without.includes(name);
  const mustRun = process.env['CI'] !== undefined;
  if (!isLeftOut && (mustRun || spawnSync(program, probe).status === 0)) return true;
  process.stdout.write(`No ${name} here: ${skipped}.\n`);
  return false;
}
