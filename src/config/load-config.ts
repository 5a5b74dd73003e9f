import { secretKeys } from '../secrets/secret-list.ts';
import type {
  Config,
  DatabaseConfig,
  EdgeConfig,
  HttpLimits,
  IssuerConfig,
  LeakReportConfig,
  PagesConfig,
} from './config.ts';
import { ConfigError } from './config-error.ts';
import { crossFaults, describeFault, type Fault } from './cross-checks.ts';
import { type Environment, environmentSchema, type VariableName } from './environment.ts';
import { scopesOverOthers } from './issuers.ts';
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
  faults.push(...crossFaults({ isSet: (name) => given[name] !== undefined, env }));
  const lines = [...faults.map(describeFault), ...strayVariables(Object.keys(given))];
  if (lines.length > 0) throw new ConfigError(lines);
  return { ...toConfig(env as Environment), ignored };
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

/** The issuer of AUTH_ISSUER, followed by the issuers of AUTH_ISSUERS. */
const issuerConfigs = (env: Environment): IssuerConfig[] => {
  const single = env.AUTH_ISSUER !== undefined && {
    issuer: env.AUTH_ISSUER,
    jwksUri: env.AUTH_JWKS_URI,
    audience: env.AUTH_AUDIENCE,
    clientId: env.AUTH_CLIENT_ID,
    scopeAliases: env.AUTH_SCOPE_ALIASES,
    grants: undefined,
  };
  const all = [...(single ? [single] : []), ...(env.AUTH_ISSUERS ?? [])];
  const usual = all.length === 1 ? scopesOverOthers : [];
  return all.map(({ issuer, jwksUri, audience, clientId, scopeAliases, grants = usual }) => ({
    issuer,
    jwksUri,
    audiences: audience,
    clientIds: clientId,
    algorithms: env.AUTH_ALGORITHMS,
    scopeAliases,
    grants,
  }));
};

const databaseConfig = (env: Environment): DatabaseConfig => {
  const url = env.DATABASE_URL ?? env.DATABASE_URL_FILE ?? `sqlite:${env.DATA_DIR}/keyward.db`;
  return {
    url,
    // An SQLite file belongs to one node; a PostgreSQL database may also serve nodes of an older version.
    migrateAtStart: (env.DATABASE_MIGRATE ?? (url.startsWith('sqlite:') ? 'auto' : 'check')) === 'auto',
    poolSize: env.DATABASE_POOL_SIZE,
    statements: env.DATABASE_STATEMENTS,
    timeouts: {
      connect: env.DATABASE_CONNECT_TIMEOUT * 1000,
      statement: env.DATABASE_STATEMENT_TIMEOUT * 1000,
      idleInTransaction: env.DATABASE_IDLE_TRANSACTION_TIMEOUT * 1000,
    },
  };
};

const pagesConfig = (env: Environment): PagesConfig => {
  const { CONSOLE, GRAPHIQL, API_REFERENCE, AUTH_BROWSER_CLIENT_ID: clientId } = env;
  const pages = { console: CONSOLE, graphiql: GRAPHIQL, reference: API_REFERENCE };
  return {
    shown: (['console', 'graphiql', 'reference'] as const).filter((name) => pages[name]),
    signIn: clientId === undefined ? undefined : { clientId, parameters: env.AUTH_BROWSER_PARAMETERS },
    providerName: env.PROVIDER_NAME,
    providerSentence: env.PROVIDER_SENTENCE,
  };
};
const edgeConfig = (env: Environment): EdgeConfig => ({
  trustedProxies: env.TRUST_PROXY,
  corsOrigins: env.CORS_ORIGINS,
  apiKeyHeader: env.API_KEY_HEADER,
  hstsMaxAge: env.PUBLIC_URL?.startsWith('https:') ? env.HSTS_MAX_AGE : undefined,
  rates: {
    address: env.RATE_LIMIT_ADDRESS,
    account: env.RATE_LIMIT_ACCOUNT,
    verifier: env.RATE_LIMIT_VERIFIER,
    apiKey: env.RATE_LIMIT_API_KEY,
  },
  exemptAddresses: env.RATE_LIMIT_EXEMPT,
  maxInFlight: env.MAX_IN_FLIGHT,
});

const httpLimits = (env: Environment): HttpLimits => ({
  body: env.HTTP_MAX_BODY,
  headers: env.HTTP_MAX_HEADERS,
  connections: env.HTTP_MAX_CONNECTIONS,
  timeouts: {
    headers: Math.min(env.HTTP_HEADERS_TIMEOUT, env.HTTP_REQUEST_TIMEOUT) * 1000,
    request: env.HTTP_REQUEST_TIMEOUT * 1000,
    answer: env.HTTP_ANSWER_TIMEOUT * 1000,
    keepAlive: env.HTTP_KEEP_ALIVE_TIMEOUT * 1000,
  },
});

const webhooksConfig = (env: Environment): Config['webhooks'] => ({
  endpoints: (env.WEBHOOKS ?? env.WEBHOOKS_FILE ?? []).map(({ url, secret, events, headers }) => ({
    url,
    secrets: secret,
    events,
    headers,
  })),
  allowedHosts: env.WEBHOOKS_ALLOW,
});

const leakReportConfig = (env: Environment): LeakReportConfig | undefined =>
  env.LEAKED_KEYS === 'off'
    ? undefined
    : { act: env.LEAKED_KEYS, keys: env.LEAK_REPORT_KEYS_FILE ?? env.LEAK_REPORT_KEYS_URL };

const tracingConfig = (env: Environment): Config['tracing'] =>
  env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        sampler: env.OTEL_TRACES_SAMPLER,
        ratio: env.OTEL_TRACES_SAMPLER_ARG,
        timeout: env.OTEL_EXPORTER_OTLP_TIMEOUT,
      };

/** Builds the configuration from an environment without faults. */
const toConfig = (env: Environment): Omit<Config, 'ignored'> => ({
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
  automationDefaults: {
    isEnabled: env.AUTOMATION_DEFAULT_ENABLED ?? null,
    sessionDuration: env.AUTOMATION_DEFAULT_SESSION_DURATION ?? null,
  },
  apiKeysPerAccount: env.API_KEYS_PER_ACCOUNT,
  apiKeyDays: { usual: env.API_KEY_DAYS_DEFAULT ?? null, most: env.API_KEY_DAYS_MAX ?? null },
  plansFile: env.PLANS_FILE,
  changesPerDay: env.CHANGES_PER_DAY,
  apiKeyUsageDays: env.API_KEY_USAGE_DAYS,
  endedApiKeysDays: env.ENDED_API_KEYS_DAYS,
  apiKeyPrefix: env.API_KEY_PREFIX,
  apiKeyPermissions: env.API_KEY_PERMISSIONS ?? null,
  sealApiKeys: env.SEAL_API_KEYS,
  http: httpLimits(env),
  shutdownDelay: env.SHUTDOWN_DELAY * 1000,
  introspection: env.GRAPHQL_INTROSPECTION,
  documentCost: env.GRAPHQL_MAX_COST,
  webhooks: webhooksConfig(env),
  leakReports: leakReportConfig(env),
  operators: env.ADMIN,
  pages: pagesConfig(env),
  edge: edgeConfig(env),
  logLevel: env.LOG_LEVEL,
  logsAddress: env.LOG_CLIENT_ADDRESS,
  metrics: env.METRICS_PORT === undefined ? undefined : { host: env.METRICS_HOST, port: env.METRICS_PORT },
  tracing: tracingConfig(env),
});
