import { type Config, toConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { crossFaults, describeFault, type Fault } from './cross-checks.ts';
import { type Environment, environmentSchema, inFiles, type VariableName } from './environment.ts';
import { strayVariables } from './stray-variables.ts';

/**
 * Whether Kubernetes or Docker set a variable by itself, to the address of a service whose name happens to begin like
 * the variable: for a service `metrics`, METRICS_PORT is `tcp://10.96.0.5:9090`.
 */
const isServiceLink = (name: string, value: string): boolean =>
  name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//i.test(value.trim());

/**
 * Reads the configuration from the environment. An empty variable counts as not set, and so does a service link.
 * @throws {ConfigError} that names all faults at once
 */
export function loadConfig(environment: NodeJS.ProcessEnv = readEnvironment()): Config {
  const set = Object.entries(environment).filter(([, value]) => value?.trim()) as [string, string][];
  const given = Object.fromEntries(set.filter(([name, value]) => !isServiceLink(name, value)));
  const ignored = Object.keys(environmentSchema.shape).filter(
    (name) => environment[name]?.trim() && given[name] === undefined,
  );
  const faults: Fault[] = [];
  const env: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(environmentSchema.shape)) {
    const { data, error } = schema.safeParse(given[name]);
    for (const { path, message } of error?.issues ?? [])
      faults.push([name as VariableName, [...path, message].join(' ')]);
    if (!error) env[name] = data;
  }
  for (const name of inFiles) env[name] ??= env[`${name}_FILE`];
  faults.push(...crossFaults({ isSet: (name) => given[name] !== undefined, env }));
  const lines = [...faults.map(describeFault), ...strayVariables(Object.keys(given))];
  if (lines.length > 0) throw new ConfigError(lines);
  return toConfig(env as Environment, ignored);
}

/** Reads the environment, and adds the variables of a file `.env` in the current folder. */
function readEnvironment(): NodeJS.ProcessEnv {
  // Node's own `--env-file-if-exists` does the same, but prints a line at each start without such a file.
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new ConfigError(['.env must be a file that this user may read'], { cause: error });
  }
  return process.env;
}
