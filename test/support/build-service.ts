import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds what the tests start where the source has changed. Vitest calls it once, before all. */
export const setup = (): void => {
  const build = join(import.meta.dirname, '../../build.mjs');
  execFileSync(process.execPath, [build, '--if-changed'], { stdio: 'inherit' });
};
