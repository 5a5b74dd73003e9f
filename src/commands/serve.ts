import { write } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { readCommandLine } from '../config/command-line.ts';
import type { Config } from '../config/config.ts';
import { readVersion } from '../observability/version.ts';
import { firstSignal } from '../process/signals.ts';

// Node compiles all modules that load from here on only once, and not at each start.
enableCompileCache();

// The service must listen for signals from the first moment: otherwise a signal during the start would end the
// process at once.
const stopped = firstSignal();

async function runService(config: Config): Promise<void> {
  await using service = await (config.workers > 1
    ? (await import('../process/workers.ts')).startWorkers(config, stopped)
    : (await import('../process/service.ts')).startService(config, stopped));
  // The service continues even if nobody reads this output.
  write(process.stdout.fd, service.greeting, () => {});
  await stopped;
}

async function checkConfig(config: Config): Promise<void> {
  await (await import('../process/check-configuration.ts')).checkConfiguration(config);
}

async function run(withConfig: (config: Config) => Promise<void>): Promise<void> {
  try {
    const { loadConfig } = await import('../config/load-config.ts');
    await withConfig(loadConfig());
  } catch (error) {
    (await import('./report-fault.ts')).reportFault(error);
  }
}

const usage = `Usage: npm start -- [--check-config | --version | --help]

Starts Keyward. Environment variables configure it: see docs/configuration.md.

  --check-config  checks the configuration and starts nothing
  --version       prints the version
  --help          prints this text
`;

const options = { 'check-config': { type: 'boolean' }, version: { type: 'boolean' } } as const;

const given = readCommandLine({ usage, options });
if (given?.values.version) process.stdout.write(`${readVersion()}\n`);
else if (given) await run(given.values['check-config'] ? checkConfig : runService);
