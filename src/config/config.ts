import { secretKeys } from '../secrets/secret-list.ts';
import type { Environment } from './environment.ts';
import { anyAudience, type ScopeOverOthers, scopesOverOthers } from './issuers.ts';
import { publicPathOf } from './values/public-path.ts';

/** The issuer of AUTH_ISSUER, followed by the issuers of AUTH_ISSUERS. */
const issuersOf = (env: Environment) => {
  const single = env.AUTH_ISSUER !== undefined && {
    issuer: env.AUTH_ISSUER,
    jwksUri: env.AUTH_JWKS_URI,
    audience: env.AUTH_AUDIENCE,
    clientId: env.AUTH_CLIENT_ID,
    authorizedParties: env.AUTH_AUTHORIZED_PARTIES,
    tokens: env.AUTH_TOKENS,
    require: env.AUTH_REQUIRE,
    scopeClaims: env.AUTH_SCOPE_CLAIMS,
    scopeAliases: env.AUTH_SCOPE_ALIASES,
    people: env.AUTH_PEOPLE,
    organization: env.AUTH_ORGANIZATION,
    grants: undefined,
  };
  const all = [...(single ? [single] : []), ...(env.AUTH_ISSUERS ?? [])];
  const usual: readonly ScopeOverOthers[] = all.length === 1 ? scopesOverOthers : [];
  return all.map(
    ({ issuer, jwksUri, audience, clientId, authorizedParties, tokens, grants = usual, ...claims }) =>
      ({
        /** The issuer identifier, exactly as in a token's `iss` (RFC 8414). */
        issuer,
        /** The URL of the issuer's verification keys; undefined: the issuer's metadata names the URL. */
        jwksUri,
        /** A token must name one of these in `aud`, or one of `clientIds` or of `authorizedParties`. */
        audiences: audience.filter((name) => name !== anyAudience),
        /** The client ids that the service accepts if a token carries no `aud` (Cognito). */
        clientIds: clientId,
        /** The parties (`azp`) that the service accepts if a token carries neither `aud` nor `client_id` (Clerk). */
        authorizedParties,
        /**
         * Whether all tokens of this issuer are for one application. Then a token passes without `aud`, `client_id` and
         * `azp`. It may carry one of `clientIds`, and any `azp` unless `authorizedParties` are set; but no `aud`.
         */
        isForOneApplication: audience.includes(anyAudience),
        /** Whether the issuer gives ID tokens, and the service accepts these in place of access tokens (Firebase). */
        givesIdTokens: tokens === 'id',
        /** The claims that a token must have, each with its accepted values; null: the claim is missing. */
        requiredClaims: claims.require,
        algorithms: env.AUTH_ALGORITHMS,
        /** The claims that grant scopes. */
        scopeClaims: claims.scopeClaims,
        /** Maps each of the provider's own scope names to the names of this service. */
        scopeAliases: claims.scopeAliases,
        /** The scopes of a token that carries no scope claim; only scopes for a person's own data. */
        people: claims.people,
        /** How tokens name the organisations of a person; undefined: they name none. */
        organization: claims.organization,
        /** The scopes over other people's data that the issuer may grant; every issuer may grant the other scopes. */
        grants,
      }) as const,
  );
};

const databaseOf = (env: Environment) => {
  const url = env.DATABASE_URL ?? `sqlite:${env.DATA_DIR}/keyward.db`;
  return {
    /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
    url,
    /**
     * Whether the start updates the schema; otherwise a start on an older schema fails. An SQLite file belongs to one
     * node; a PostgreSQL database may also serve nodes of an older version.
     */
    migrateAtStart: (env.DATABASE_MIGRATE ?? (url.startsWith('sqlite:') ? 'auto' : 'check')) === 'auto',
    /** The most connections of one process to PostgreSQL. */
    poolSize: env.DATABASE_POOL_SIZE,
    /** Whether PostgreSQL keeps the plans of repeated statements (`named`). */
    statements: env.DATABASE_STATEMENTS,
    /** The time-outs, in milliseconds. */
    timeouts: {
      /** The time for opening a connection to PostgreSQL. */
      connect: env.DATABASE_CONNECT_TIMEOUT * 1000,
      /** The time for one statement, in PostgreSQL. */
      statement: env.DATABASE_STATEMENT_TIMEOUT * 1000,
      idleInTransaction: env.DATABASE_IDLE_TRANSACTION_TIMEOUT * 1000,
    },
  } as const;
};

/** The audiences, if there is at least one. */
const atLeastOne = ([first, ...others]: readonly string[] = []):
  | readonly [string, ...string[]]
  | undefined => (first === undefined ? undefined : [first, ...others]);

const assertionsOf = (env: Environment) =>
  ({
    /** The keys that sign assertions; undefined: the service signs none. */
    keys: env.ASSERTION_KEYS,
    /** The services that an assertion may be for; the first is the usual one. */
    audiences: atLeastOne(env.ASSERTION_AUDIENCE),
    /** The longest life of an assertion, in seconds. */
    seconds: env.ASSERTION_SECONDS,
  }) as const;

/** The client id of the pages at the identity provider, and the parameters of a sign-in. */
const browserClientOf = ({ AUTH_BROWSER_CLIENT_ID: clientId, AUTH_BROWSER_PARAMETERS }: Environment) =>
  clientId === undefined
    ? undefined
    : ({
        clientId,
        /** Further parameters of a sign-in, beside those of the standard. */
        parameters: AUTH_BROWSER_PARAMETERS,
      } as const);

const pageNames = ['console', 'graphiql', 'reference'] as const;

/** The name of a page for a browser. */
export type PageName = (typeof pageNames)[number];

const pagesOf = (env: Environment) => {
  const isShown = { console: env.CONSOLE, graphiql: env.GRAPHIQL, reference: env.API_REFERENCE };
  return {
    /** The pages that the service shows. */
    shown: pageNames.filter((name) => isShown[name]) as readonly PageName[],
    /** The client with which the pages sign a person in; undefined: the person pastes a token. */
    signIn: browserClientOf(env),
    /** The provider's name, as people know it, and what the console says to them before they sign in. */
    providerName: env.PROVIDER_NAME,
    providerSentence: env.PROVIDER_SENTENCE,
    /** The file of the provider's logo, and the provider's colour; undefined: Keyward's own. */
    providerLogo: env.PROVIDER_LOGO,
    providerColor: env.PROVIDER_COLOR,
    /** The provider's own pages. */
    providerLinks: env.PROVIDER_LINKS,
    /** The languages of the console; the first is for people whose browsers prefer none of them. */
    consoleLocales: env.CONSOLE_LOCALES,
    /** The folder of the provider's own texts; undefined: they have none. */
    providerMessages: env.PROVIDER_MESSAGES,
  } as const;
};

const publicPathIn = ({ PUBLIC_URL: url }: Environment): string =>
  url === undefined ? '' : publicPathOf(url);

const edgeOf = (env: Environment) =>
  ({
    /** The path of the public URL, without a slash at its end; empty at the root of a host. */
    publicPath: publicPathIn(env),
    /** The addresses and ranges of trusted proxies. */
    trustedProxies: env.TRUST_PROXY,
    /** The origins whose pages may read answers. */
    corsOrigins: env.CORS_ORIGINS,
    /** The only header field that carries API keys; undefined: `Authorization: Bearer` or `X-API-Key`. */
    apiKeyHeader: env.API_KEY_HEADER,
    /**
     * The time for which browsers must use TLS (RFC 6797), in seconds; undefined: answers do not say it. They would say
     * it of the whole host, so below a path of somebody's host they do not.
     */
    hstsMaxAge:
      env.PUBLIC_URL?.startsWith('https:') && publicPathIn(env) === '' ? env.HSTS_MAX_AGE : undefined,
    /** The rate limits, each with its own rate; undefined: no limit. */
    rates: {
      /** The limit of each client address. */
      address: env.RATE_LIMIT_ADDRESS,
      /** The limit of each person. */
      account: env.RATE_LIMIT_ACCOUNT,
      /** The limit of each caller that may verify API keys. */
      verifier: env.RATE_LIMIT_VERIFIER,
      /** The limit of each API key at a reverse proxy. */
      apiKey: env.RATE_LIMIT_API_KEY,
    },
    /** The addresses and ranges that the address limit does not count. */
    exemptAddresses: env.RATE_LIMIT_EXEMPT,
    /** The most requests that one process handles at a time. */
    maxInFlight: env.MAX_IN_FLIGHT,
  }) as const;

const httpOf = (env: Environment) =>
  ({
    body: env.HTTP_MAX_BODY,
    /** The request line and the headers. */
    headers: env.HTTP_MAX_HEADERS,
    /** The most connections at a time. */
    connections: env.HTTP_MAX_CONNECTIONS,
    timeouts: {
      /** The time from the beginning of a request to the end of its header. */
      headers: Math.min(env.HTTP_HEADERS_TIMEOUT, env.HTTP_REQUEST_TIMEOUT) * 1000,
      /** The time from the beginning of a request to the end of its body. */
      request: env.HTTP_REQUEST_TIMEOUT * 1000,
      /** The time until the request is answered. */
      answer: env.HTTP_ANSWER_TIMEOUT * 1000,
      /** The time after which the server closes an idle connection. */
      keepAlive: env.HTTP_KEEP_ALIVE_TIMEOUT * 1000,
    },
  }) as const;

const webhooksOf = (env: Environment) =>
  ({
    /** The webhook endpoints, to which the service sends events. */
    endpoints: env.WEBHOOKS ?? [],
    /** The hosts that may have a private address. */
    allowedHosts: env.WEBHOOKS_ALLOW,
  }) as const;

const leakReportsOf = (env: Environment) =>
  env.LEAKED_KEYS === 'off'
    ? undefined
    : ({
        /** What the service does with a leaked API key: it marks, pauses or ends the key. */
        act: env.LEAKED_KEYS,
        /** The public keys that verify the reports' signatures, or the URL of these keys. */
        keys: env.LEAK_REPORT_KEYS_FILE ?? env.LEAK_REPORT_KEYS_URL,
      } as const);

const metricsOf = ({ METRICS_PORT: port, METRICS_HOST: host }: Environment) =>
  port === undefined ? undefined : ({ host, port } as const);

const tracingOf = (env: Environment) =>
  env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : ({
        sampler: env.OTEL_TRACES_SAMPLER,
        /** The share of all requests that a ratio sampler records, from 0 to 1. */
        ratio: env.OTEL_TRACES_SAMPLER_ARG,
        /** The longest time for sending traces, in milliseconds. */
        timeout: env.OTEL_EXPORTER_OTLP_TIMEOUT,
      } as const);

/** What holds for all API keys. */
const apiKeysOf = (env: Environment) =>
  ({
    /** The most active API keys of one account. */
    apiKeysPerAccount: env.API_KEYS_PER_ACCOUNT,
    /** The life of API keys in days: of a key that names no end, and at most; null: no bound. */
    apiKeyDays: { usual: env.API_KEY_DAYS_DEFAULT ?? null, most: env.API_KEY_DAYS_MAX ?? null },
    /** The file of the provider's plans; undefined if the provider has no plans. */
    plansFile: env.PLANS_FILE,
    /** The most changes that one account may make in a day (UTC). */
    changesPerDay: env.CHANGES_PER_DAY,
    /** The number of days for which the service keeps the counts of verifications. */
    apiKeyUsageDays: env.API_KEY_USAGE_DAYS,
    /** The number of days for which the service keeps API keys that have ended. */
    endedApiKeysDays: env.ENDED_API_KEYS_DAYS,
    /** The prefix of new API keys. */
    apiKeyPrefix: env.API_KEY_PREFIX,
    /** The permissions that an API key may have; null: any. */
    apiKeyPermissions: env.API_KEY_PERMISSIONS ?? null,
    /** Whether the service stores a sealed copy of each API key. */
    sealApiKeys: env.SEAL_API_KEYS,
  }) as const;

/**
 * Builds the configuration from an environment without faults.
 * @param ignored the variables that are ignored because Kubernetes or Docker set them, to the address of a service
 */
export const toConfig = (env: Environment, ignored: readonly string[]) =>
  ({
    production: env.NODE_ENV === 'production',
    /** The variables that are ignored because Kubernetes or Docker set them, to the address of a service. */
    ignored,
    host: env.HOST,
    /** The TCP port; 0: any free port. */
    port: env.PORT,
    /** The folder of the service's files. */
    dataDir: env.DATA_DIR,
    /** The database, and the times for which the service waits for it. */
    database: databaseOf(env),
    /** How long an API key works on while the database is away, in milliseconds; 0: not at all. */
    doorGrace: env.DOOR_GRACE_SECONDS * 1000,
    /** The server's secrets; undefined: the service uses development secrets. */
    secrets: secretKeys(env),
    /** The signed tokens about API keys. */
    assertions: assertionsOf(env),
    /** The URL by which clients reach this service; undefined: the URL on which it listens. */
    publicUrl: env.PUBLIC_URL,
    /** The number of processes that share the port; 1: only this process. */
    workers: env.WORKERS,
    /** The trusted issuers; empty: the service uses the development identity provider. */
    issuers: issuersOf(env),
    algorithms: env.AUTH_ALGORITHMS,
    /** The secrets of servers that sign in without an identity provider. */
    servers: env.SERVER_CREDENTIALS ?? [],
    /** Bounds of `session_duration`, in seconds, both inclusive. */
    sessionDuration: { min: env.SESSION_DURATION_MIN, max: env.SESSION_DURATION_MAX },
    /** The values of automation settings that the account never set. */
    automationDefaults: {
      isEnabled: env.AUTOMATION_DEFAULT_ENABLED ?? null,
      sessionDuration: env.AUTOMATION_DEFAULT_SESSION_DURATION ?? null,
    },
    ...apiKeysOf(env),
    /** The limits of connections and requests: sizes in bytes, times in milliseconds. */
    http: httpOf(env),
    /** The time for which a stopping service still answers requests, in milliseconds. */
    shutdownDelay: env.SHUTDOWN_DELAY * 1000,
    /** Whether the service offers the operators' fields and routes. */
    operators: env.ADMIN,
    /** Whether the service answers GraphQL introspection. */
    introspection: env.GRAPHQL_INTROSPECTION,
    /** The most values that a GraphQL operation may request. */
    documentCost: env.GRAPHQL_MAX_COST,
    webhooks: webhooksOf(env),
    /** The handling of reports of leaked API keys; undefined: the service accepts none. */
    leakReports: leakReportsOf(env),
    /** The pages for a browser. */
    pages: pagesOf(env),
    /** The settings for proxies, browsers and load. */
    edge: edgeOf(env),
    logLevel: env.LOG_LEVEL,
    /** Whether the log line of a request shows the client's address. */
    logsAddress: env.LOG_CLIENT_ADDRESS,
    /** The host and the port on which the service publishes metrics; undefined: it publishes none. */
    metrics: metricsOf(env),
    /** The tracing settings that OpenTelemetry's own code does not read; undefined: the service sends no traces. */
    tracing: tracingOf(env),
  }) as const;

/** The whole checked configuration. */
export type Config = ReturnType<typeof toConfig>;

/** An identity provider whose access tokens the service accepts. */
export type IssuerConfig = Config['issuers'][number];
export type DatabaseConfig = Config['database'];
export type HttpLimits = Config['http'];
export type EdgeConfig = Config['edge'];
/** The rate limits; one that is missing is none. */
export type Rates = Partial<EdgeConfig['rates']>;
/** A rate limit: so many requests in so many seconds. */
export type Rate = Readonly<NonNullable<EdgeConfig['rates']['account']>>;
/** A webhook endpoint, to which the service sends events. */
export type WebhookConfig = Config['webhooks']['endpoints'][number];
export type LeakReportConfig = NonNullable<Config['leakReports']>;
/** The pages, perhaps without the provider's name. */
export type PagesConfig = Pick<Config['pages'], 'shown' | 'signIn'> & Partial<Config['pages']>;
export type BrowserClient = NonNullable<PagesConfig['signIn']>;
export type MetricsConfig = NonNullable<Config['metrics']>;
export type TracingConfig = NonNullable<Config['tracing']>;
