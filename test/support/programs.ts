import { spawnSync } from 'node:child_process';

/**
 * Whether what needs a program is run: always in CI; elsewhere where it is installed, and else one line says so.
 * @param probe arguments with which the program succeeds where it can be used
 */
export function canRun(program: string, skipped: string, probe: readonly string[] = ['--version']): boolean {
  if (process.env['CI'] !== undefined || spawnSync(program, probe).status === 0) return true;
  process.stdout.write(`No ${program} here: ${skipped}.\n`);
  return false;
}
