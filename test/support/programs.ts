import { spawnSync } from 'node:child_process';

/** Whether what needs a program is run: always in CI; elsewhere where it is installed, and else one line says so. */
export function canRun(program: string, skipped: string): boolean {
  if (process.env['CI'] !== undefined || spawnSync(program, ['--version']).status === 0) return true;
  process.stdout.write(`No ${program} here: ${skipped}.\n`);
  return false;
}
