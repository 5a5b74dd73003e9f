import { existsSync } from 'node:fs';
import { z } from 'zod';

/** The signature algorithms (RFC 7518) that may be trusted: all asymmetric. */
const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;

/** The name of a signature algorithm, as in a token's `alg`. */
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL may be trusted with keys: HTTPS, or plain HTTP that does not leave this machine. */
export const isSecureUrl = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));

const list = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const onOrOff = z.enum(['on', 'off'], 'must be "on" or "off"').transform((value) => value === 'on');

const issuer = z
  .string()
  .refine((value) => URL.canParse(value), 'must be a URL, such as https://id.example.com')
  .refine(
    (value) => !URL.canParse(value) || isSecureUrl(new URL(value)),
    'must begin with https:// (plain http:// is for this machine only)',
  );

const algorithms = z
  .string()
  .transform(list)
  .pipe(
    z
      .array(z.enum(signatureAlgorithms, `may only name ${signatureAlgorithms.join(', ')}`))
      .min(1, 'must name at least one algorithm'),
  );

const scopeAliases = z
  .string()
  .transform(list)
  .refine(
    (pairs) => pairs.every((pair) => /^[^=\s]+=[^=\s]+$/.test(pair)),
    "must be pairs of the provider's name and ours: provider.name=our.name",
  )
  .transform((pairs) => new Map(pairs.map((pair) => pair.split('=') as [string, string])));

const databaseUrl = z
  .string()
  .regex(/^sqlite:.+$/, 'must be sqlite:<path of a file> or sqlite::memory:')
  .transform((url) => url.slice('sqlite:'.length));

const environmentSchema = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535).default(4000),
  DATA_DIR: z.string().default('data'),
  DATABASE_URL: databaseUrl.optional(),
  AUTH_ISSUER: issuer.optional(),
  AUTH_AUDIENCE: z.string().transform(list).default([]),
  AUTH_CLIENT_ID: z.string().transform(list).default([]),
  AUTH_ALGORITHMS: algorithms.default([...signatureAlgorithms]),
  AUTH_SCOPE_ALIASES: scopeAliases.default(new Map()),
  SESSION_DURATION_MIN: integer(1, 999_999_999).default(60),
  SESSION_DURATION_MAX: integer(1, 999_999_999).default(86_400),
  GRAPHQL_INTROSPECTION: onOrOff.default(true),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be fatal, error, warn, info, debug, trace or silent',
    })
    .default('info'),
});

type Environment = z.infer<typeof environmentSchema>;

/** An identity provider whose access tokens are accepted. */
export interface IssuerConfig {
  /** The issuer identifier, exactly as in a token's `iss` (RFC 8414). */
  readonly issuer: string;
  /** A token must name one of these in `aud`, or one of `clientIds`. */
  readonly audiences: readonly string[];
  /** Client ids that are accepted where a token carries no `aud` (Cognito). */
  readonly clientIds: readonly string[];
  readonly algorithms: readonly SignatureAlgorithm[];
  /** The provider's own scope names, to ours. */
  readonly scopeAliases: ReadonlyMap<string, string>;
}

/** Everything that can be set from outside, checked. */
export interface Config {
  readonly production: boolean;
  readonly host: string;
  /** TCP port; 0 takes any that is free. */
  readonly port: number;
  /** The folder of the database file. */
  readonly dataDir: string;
  /** The path of the SQLite file, or `:memory:`. */
  readonly databaseFile: string;
  /** Undefined: the development identity provider is used. */
  readonly issuer: IssuerConfig | undefined;
  readonly algorithms: readonly SignatureAlgorithm[];
  /** Bounds of `session_duration`, in seconds, both inclusive. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
  /** Whether GraphQL's introspection is answered. */
  readonly introspection: boolean;
  readonly logLevel: Environment['LOG_LEVEL'];
}

/** The environment cannot be used; the message has a line for each fault, and no value in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[]) {
    super(`Keyward cannot start with this configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  }
}

/** What no single variable shows. A variable that is faulty in itself is absent from `env`. */
const crossFaults = (given: NodeJS.ProcessEnv, env: Partial<Environment>): string[] => {
  const production = given['NODE_ENV'] === 'production';
  const issuerGiven = given['AUTH_ISSUER'] !== undefined;
  const accepted = [...(env.AUTH_AUDIENCE ?? []), ...(env.AUTH_CLIENT_ID ?? [])].length > 0;
  const { SESSION_DURATION_MIN: min = 0, SESSION_DURATION_MAX: max = min } = env;
  const faults: [boolean, string][] = [
    [min > max, 'SESSION_DURATION_MIN must not be above SESSION_DURATION_MAX'],
    [
      production && !issuerGiven,
      'AUTH_ISSUER must be set in production: the development identity provider lets anyone in',
    ],
    [
      !issuerGiven &&
        !production &&
        !/^(localhost|127(\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/.test(env.HOST ?? 'localhost'),
      'HOST must be 127.0.0.1, ::1, 0.0.0.0 or :: while no AUTH_ISSUER is set: the development identity provider is found at this machine alone',
    ],
    [
      issuerGiven && !accepted,
      'AUTH_AUDIENCE or AUTH_CLIENT_ID must be set beside AUTH_ISSUER: else a token for any other service would do',
    ],
    [
      !issuerGiven && accepted && !production,
      'AUTH_ISSUER must be set beside AUTH_AUDIENCE and AUTH_CLIENT_ID',
    ],
  ];
  return faults.flatMap(([faulty, sentence]) => (faulty ? [sentence] : []));
};

const issuerConfig = (env: Environment): IssuerConfig | undefined =>
  env.AUTH_ISSUER === undefined
    ? undefined
    : {
        issuer: env.AUTH_ISSUER,
        audiences: env.AUTH_AUDIENCE,
        clientIds: env.AUTH_CLIENT_ID,
        algorithms: env.AUTH_ALGORITHMS,
        scopeAliases: env.AUTH_SCOPE_ALIASES,
      };

const toConfig = (env: Environment): Config => ({
  production: env.NODE_ENV === 'production',
  host: env.HOST,
  port: env.PORT,
  dataDir: env.DATA_DIR,
  databaseFile: env.DATABASE_URL ?? `${env.DATA_DIR}/keyward.db`,
  issuer: issuerConfig(env),
  algorithms: env.AUTH_ALGORITHMS,
  sessionDuration: { min: env.SESSION_DURATION_MIN, max: env.SESSION_DURATION_MAX },
  introspection: env.GRAPHQL_INTROSPECTION,
  logLevel: env.LOG_LEVEL,
});

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
    else faults.push(...parsed.error.issues.map((issue) => `${name} ${issue.message}`));
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
