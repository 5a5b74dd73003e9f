import { once } from 'node:events';
import { enableCompileCache } from 'node:module';

// Listened for from the first moment: a signal during the start would end the process at once.
const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);

// Compiling what is imported is a good part of a start; from the second on it is found done.
enableCompileCache();
const { ConfigError, loadConfig } = await import('./config.ts');
const { startService } = await import('./service.ts');

try {
  await using service = await startService(loadConfig());
  process.stdout.write(service.greeting);
  await stopped;
} catch (error) {
  // What an operator can mend is said in words; only the unforeseen comes with a stack.
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
