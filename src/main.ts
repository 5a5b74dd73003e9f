import { enableCompileCache } from 'node:module';
import { firstSignal } from './process/signals.ts';

// Listened for from the first moment: a signal during the start would end the process at once.
const stopped = firstSignal();

// Compiling what is imported is a good part of a start; from the second on it is found done.
enableCompileCache();
const { reportConfigError } = await import('./config/config-error.ts');
const { loadConfig } = await import('./config/load-config.ts');

try {
  const config = loadConfig();
  await using service = await (config.workers > 1
    ? (await import('./workers.ts')).startWorkers(config)
    : (await import('./service.ts')).startService(config));
  process.stdout.write(service.greeting);
  await stopped;
} catch (error) {
  reportConfigError(error);
}
