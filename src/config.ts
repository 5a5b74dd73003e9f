import { existsSync } from 'node:fs';
import { type Environment, environmentSchema, type SignatureAlgorithm } from './environment.ts';
import { type SecretKeys, secretFaults, secretKeys } from './secrets/secret-keys.ts';

/** An identity provider whose access tokens are accepted. */
export interface IssuerConfig {
  /** The issuer identifier, exactly as in a token's `iss` (RFC 8414). */
  readonly issuer: string;
  /** Where its verification keys are; undefined: as its metadata says. */
  readonly jwksUri: string | undefined;
  /** A token must name one of these in `aud`, or one of `clientIds`. */
  readonly audiences: readonly string[];
  /** Client ids that are accepted where a token carries no `aud` (Cognito). */
  readonly clientIds: readonly string[];
  readonly algorithms: readonly SignatureAlgorithm[];
  /** The provider's own scope names, each to those of ours that it stands for. */
  readonly scopeAliases: ReadonlyMap<string, readonly string[]>;
}

/** The database, and how long is waited for it. */
export interface DatabaseConfig {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string;
  /** Whether the schema is brought up to date at the start; otherwise an older one is refused. */
  readonly migrateAtStart: boolean;
  /** The most connections of one process to PostgreSQL. */
  readonly poolSize: number;
  /** PostgreSQL's, in milliseconds. */
  readonly timeouts: {
    readonly connect: number;
    readonly statement: number;
    readonly idleInTransaction: number;
  };
}

/** Everything that can be set from outside, checked. */
export interface Config {
  readonly production: boolean;
  readonly host: string;
  /** TCP port; 0 takes any that is free. */
  readonly port: number;
  /** The folder of what is kept in files. */
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  /** The server's secrets; undefined: those of development are used. */
  readonly secrets: SecretKeys | undefined;
  /** The URL by which clients reach this service; undefined: the one that it listens on. */
  readonly publicUrl: string | undefined;
  /** How many processes share the port; 1: this one alone. */
  readonly workers: number;
  /** None: the development identity provider is used. */
  readonly issuers: readonly IssuerConfig[];
  readonly algorithms: readonly SignatureAlgorithm[];
  /** Bounds of `session_duration`, in seconds, both inclusive. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
  /** Whether of each API key a sealed copy is kept. */
  readonly sealApiKeys: boolean;
  /** Whether GraphQL's introspection is answered. */
  readonly introspection: boolean;
  readonly logLevel: Environment['LOG_LEVEL'];
}

/** The environment cannot be used; the message has a line for each fault, and no value in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(faults: readonly string[], options?: ErrorOptions) {
    super(
      `Keyward cannot start with this configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
      options,
    );
  }
}

/**
 * Tells an operator in words what they can mend, and sets exit code 1.
 * @throws any other error: only the unforeseen comes with a stack
 */
export function reportConfigError(error: unknown): void {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** What several workers need. */
const workerFaults = (
  given: NodeJS.ProcessEnv,
  { WORKERS = 1 }: Partial<Environment>,
  development: boolean,
): [boolean, string][] => [
  [
    WORKERS > 1 && given['DATABASE_URL']?.startsWith('postgres') !== true,
    'WORKERS above 1 needs a PostgreSQL DATABASE_URL: an SQLite file is for one process',
  ],
  [
    WORKERS > 1 && development,
    'WORKERS above 1 needs AUTH_ISSUER: the development identity provider keeps its keys in one process',
  ],
];

/** What no single variable shows. A variable that is faulty in itself is absent from `env`. */
const crossFaults = (given: NodeJS.ProcessEnv, env: Partial<Environment>): string[] => {
  const production = given['NODE_ENV'] === 'production';
  const single = given['AUTH_ISSUER'] !== undefined;
  const several = given['AUTH_ISSUERS'] !== undefined;
  const issuerGiven = single || several;
  const belongings = ['AUTH_AUDIENCE', 'AUTH_CLIENT_ID', 'AUTH_JWKS_URI', 'AUTH_SCOPE_ALIASES'];
  const { SESSION_DURATION_MIN: min = 0, SESSION_DURATION_MAX: max = min } = env;
  const faults: [boolean, string][] = [
    [min > max, 'SESSION_DURATION_MIN must not be above SESSION_DURATION_MAX'],
    [
      production && !issuerGiven,
      'AUTH_ISSUER (or AUTH_ISSUERS) must be set in production: the development identity provider lets anyone in',
    ],
    ...workerFaults(given, env, !issuerGiven && !production),
    [
      !issuerGiven &&
        !production &&
        !/^(localhost|127(\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/.test(env.HOST ?? 'localhost'),
      'HOST must be 127.0.0.1, ::1, 0.0.0.0 or :: while no AUTH_ISSUER is set: the development identity provider is found at this machine alone',
    ],
    [
      single && [env.AUTH_AUDIENCE, env.AUTH_CLIENT_ID].every((list) => list?.length === 0),
      'AUTH_AUDIENCE or AUTH_CLIENT_ID must be set beside AUTH_ISSUER: else a token for any other service would do',
    ],
    [
      !single && (several || !production) && belongings.some((name) => given[name] !== undefined),
      `AUTH_ISSUER must be set beside ${belongings.join(', ')}`,
    ],
    [
      env.AUTH_ISSUERS?.some(({ issuer }) => issuer === env.AUTH_ISSUER) === true,
      'AUTH_ISSUERS must not name the issuer of AUTH_ISSUER again',
    ],
  ];
  return [
    ...faults.flatMap(([faulty, sentence]) => (faulty ? [sentence] : [])),
    ...secretFaults(given, env, production || issuerGiven),
  ];
};

/** The issuers of AUTH_ISSUERS, and that of AUTH_ISSUER. */
const issuerConfigs = (env: Environment): IssuerConfig[] => {
  const single = env.AUTH_ISSUER !== undefined && {
    issuer: env.AUTH_ISSUER,
    jwksUri: env.AUTH_JWKS_URI,
    audience: env.AUTH_AUDIENCE,
    clientId: env.AUTH_CLIENT_ID,
    scopeAliases: env.AUTH_SCOPE_ALIASES,
  };
  const all = [...(single ? [single] : []), ...(env.AUTH_ISSUERS ?? [])];
  return all.map(({ issuer, jwksUri, audience, clientId, scopeAliases }) => ({
    issuer,
    jwksUri,
    audiences: audience,
    clientIds: clientId,
    algorithms: env.AUTH_ALGORITHMS,
    scopeAliases,
  }));
};

const databaseConfig = (env: Environment): DatabaseConfig => {
  const url = env.DATABASE_URL ?? `sqlite:${env.DATA_DIR}/keyward.db`;
  return {
    url,
    // One SQLite file has one node; a PostgreSQL database may have nodes of an older version at work.
    migrateAtStart: (env.DATABASE_MIGRATE ?? (url.startsWith('sqlite:') ? 'auto' : 'check')) === 'auto',
    poolSize: env.DATABASE_POOL_SIZE,
    timeouts: {
      connect: env.DATABASE_CONNECT_TIMEOUT * 1000,
      statement: env.DATABASE_STATEMENT_TIMEOUT * 1000,
      idleInTransaction: env.DATABASE_IDLE_TRANSACTION_TIMEOUT * 1000,
    },
  };
};

const toConfig = (env: Environment): Config => ({
  production: env.NODE_ENV === 'production',
  host: env.HOST,
  port: env.PORT,
  dataDir: env.DATA_DIR,
  database: databaseConfig(env),
  secrets: secretKeys(env),
  workers: env.WORKERS,
  publicUrl: env.PUBLIC_URL,
  issuers: issuerConfigs(env),
  algorithms: env.AUTH_ALGORITHMS,
  sessionDuration: { min: env.SESSION_DURATION_MIN, max: env.SESSION_DURATION_MAX },
  sealApiKeys: env.SEAL_API_KEYS,
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
