import { write } from 'node:fs';
import { enableCompileCache } from 'node:module';
import type { Config } from './config/config.ts';
import { readTask, usage } from './process/command-line.ts';
import { firstSignal } from './process/signals.ts';

// What is loaded from here on is compiled once, and not at each start.
enableCompileCache();

// Listened for from the first moment: a signal during the start would end the process at once.
const stopped = firstSignal();

async function runService(config: Config): Promise<void> {
  await using service = await (config.workers > 1
    ? (await import('./process/workers.ts')).startWorkers(config, stopped)
    : (await import('./process/service.ts')).startService(config, stopped));
  // Whether anybody reads it or not: the service goes on.
  write(process.stdout.fd, service.greeting, () => {});
  await stopped;
}

async function checkConfig(config: Config): Promise<void> {
  const { configSummary } = await import('./config/summary.ts');
  process.stdout.write(`${configSummary(config)}\n`);
}

async function run(withConfig: (config: Config) => Promise<void>): Promise<void> {
  const { reportConfigError } = await import('./config/config-error.ts');
  try {
    const { loadConfig } = await import('./config/load-config.ts');
    await withConfig(loadConfig());
  } catch (error) {
    reportConfigError(error);
  }
}

const task = readTask(process.argv.slice(2));
if (typeof task === 'object') {
  process.stderr.write(`${task.fault}\n\n${usage}`);
  process.exitCode = 2;
} else if (task === 'help') process.stdout.write(usage);
else await run(task === 'check-config' ? checkConfig : runService);
