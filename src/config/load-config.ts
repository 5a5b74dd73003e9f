import type { Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import { crossFaults } from './cross-checks.ts';
import { type Environment, environmentSchema, type VariableName } from './environment.ts';
import { describeFault, type Fault } from './fault.ts';
import { strayVariables } from './stray-variables.ts';
import { toConfig } from './to-config.ts';

/**
 * Reads the configuration from the environment; a variable that is set to nothing counts as not set.
 * @throws {ConfigError} that names every fault at once
 */
export function loadConfig(environment: NodeJS.ProcessEnv = readEnvironment()): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const faults: Fault[] = [];
  const env: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(environmentSchema.shape)) {
    const { data, error } = schema.safeParse(given[name]);
    for (const { path, message } of error?.issues ?? [])
      faults.push([name as VariableName, [...path, message].join(' ')]);
    if (!error) env[name] = data;
  }
  faults.push(...crossFaults({ isSet: (name) => given[name] !== undefined, env }));
  const lines = [...faults.map(describeFault), ...strayVariables(Object.keys(given))];
  if (lines.length > 0) throw new ConfigError(lines);
  return toConfig(env as Environment);
}

/** The environment, and what a file `.env` in this folder adds to it. */
function readEnvironment(): NodeJS.ProcessEnv {
  // Node's own `--env-file-if-exists` does the same, but says so on each start without one.
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new ConfigError(['.env must be a file that this user may read'], { cause: error });
  }
  return process.env;
}
