import { join } from 'node:path';
import { build } from 'vite';

/** Builds the service from the source as it is now: it is what the tests start. Vitest calls it once, before all. */
export const setup = async (): Promise<void> => {
  await build({ configFile: join(import.meta.dirname, '../../vite.config.ts'), logLevel: 'warn' });
};
