import { existsSync } from 'node:fs';
import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import { crossFaults } from './cross-checks.ts';
import { type Environment, environmentSchema } from './environment.ts';
import { toConfig } from './to-config.ts';

/**
 * Reads the configuration from the environment; a variable that is set to nothing counts as not set.
 * @throws {ConfigError} that names every fault at once
 */
export function loadConfig(environment: NodeJS.ProcessEnv = readEnvironment()): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const faults: string[] = [];
  const env: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(environmentSchema.shape)) {
    const parsed = schema.safeParse(given[name]);
    if (parsed.success) env[name] = parsed.data;
    else faults.push(...parsed.error.issues.map((issue) => [name, ...issue.path, issue.message].join(' ')));
  }
  faults.push(...crossFaults(given, env));
  if (faults.length > 0) throw new ConfigError(faults);
  return toConfig(env as Environment);
}

/** The environment, and what a file `.env` in this folder adds to it. */
function readEnvironment(): NodeJS.ProcessEnv {
  // Node's own `--env-file-if-exists` does the same, but says so on each start without one.
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}
