import type { SecretKeys } from '../secrets/secret-list.ts';
import type { Environment } from './environment.ts';
import type { ScopeOverOthers, SignatureAlgorithm } from './issuers.ts';
import type { ScannerKeys } from './values/scanner-keys.ts';

/** An identity provider whose access tokens the service accepts. */
export interface IssuerConfig {
  /** The issuer identifier, exactly as in a token's `iss` (RFC 8414). */
  readonly issuer: string;
  /** The URL of the issuer's verification keys; undefined: the issuer's metadata names the URL. */
  readonly jwksUri: string | undefined;
  /** A token must name one of these in `aud`, or one of `clientIds`. */
  readonly audiences: readonly string[];
  /** The client ids that the service accepts if a token carries no `aud` (Cognito). */
  readonly clientIds: readonly string[];
  readonly algorithms: readonly SignatureAlgorithm[];
  /** Maps each of the provider's own scope names to the names of this service. */
  readonly scopeAliases: ReadonlyMap<string, readonly string[]>;
  /** The scopes over other people's data that the issuer may grant; every issuer may grant the other scopes. */
  readonly grants: readonly ScopeOverOthers[];
}

/** A rate limit: so many requests in so many seconds. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** The rate limits, each with its own rate; undefined: no limit. */
export interface Rates {
  /** The limit of each client address. */
  readonly address?: Rate | undefined;
  /** The limit of each person. */
  readonly account?: Rate | undefined;
  /** The limit of each caller that may verify API keys. */
  readonly verifier?: Rate | undefined;
  /** The limit of each API key at a reverse proxy. */
  readonly apiKey?: Rate | undefined;
}

/** The database, and the times for which the service waits for it. */
export interface DatabaseConfig {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string;
  /** Whether the start updates the schema; otherwise a start on an older schema fails. */
  readonly migrateAtStart: boolean;
  /** The most connections of one process to PostgreSQL. */
  readonly poolSize: number;
  /** Whether PostgreSQL keeps the plans of repeated statements (`named`). */
  readonly statements: 'named' | 'unnamed';
  /** The time-outs, in milliseconds. */
  readonly timeouts: {
    /** The time for opening a connection to PostgreSQL. */
    readonly connect: number;
    /** The time for one statement, in PostgreSQL. */
    readonly statement: number;
    readonly idleInTransaction: number;
  };
}

/** The pages for a browser. */
export interface PagesConfig {
  /** The pages that the service shows. */
  readonly shown: readonly PageName[];
  /** The client with which the pages sign a person in; undefined: the person pastes a token. */
  readonly signIn: BrowserClient | undefined;
  /** The provider's name, as people know it, and what the console says to them before they sign in. */
  readonly providerName?: string | undefined;
  readonly providerSentence?: string | undefined;
}

/** The name of a page for a browser. */
export type PageName = 'console' | 'graphiql' | 'reference';

/** The client id of the pages at the identity provider, and the parameters of a sign-in. */
export interface BrowserClient {
  readonly clientId: string;
  /** Further parameters of a sign-in, beside those of the standard. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The host and the port on which the service publishes metrics. */
export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
}

/** The tracing settings that OpenTelemetry's own code does not read from the environment. */
export interface TracingConfig {
  readonly sampler: Environment['OTEL_TRACES_SAMPLER'];
  /** The share of all requests that a ratio sampler records, from 0 to 1. */
  readonly ratio: number;
  /** The longest time for sending traces, in milliseconds. */
  readonly timeout: number;
}

/** The limits of connections and requests: sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly body: number;
  /** The request line and the headers. */
  readonly headers: number;
  /** The most connections at a time. */
  readonly connections: number;
  readonly timeouts: {
    /** The time from the beginning of a request to the end of its header. */
    readonly headers: number;
    /** The time from the beginning of a request to the end of its body. */
    readonly request: number;
    /** The time until the request is answered. */
    readonly answer: number;
    /** The time after which the server closes an idle connection. */
    readonly keepAlive: number;
  };
}

/** The settings for proxies, browsers and load. */
export interface EdgeConfig {
  /** The addresses and ranges of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** The origins whose pages may read answers. */
  readonly corsOrigins: readonly string[];
  /** The only header field that carries API keys; undefined: `Authorization: Bearer` or `X-API-Key`. */
  readonly apiKeyHeader: string | undefined;
  /** The time for which browsers must use TLS (RFC 6797), in seconds; undefined: answers do not say it. */
  readonly hstsMaxAge: number | undefined;
  readonly rates: Rates;
  /** The addresses and ranges that the address limit does not count. */
  readonly exemptAddresses: readonly string[];
  /** The most requests that one process handles at a time. */
  readonly maxInFlight: number;
}

/** A webhook endpoint, to which the service sends events. */
export interface WebhookConfig {
  readonly url: string;
  /** One secret, or two while the second replaces the first: `whsec_…`. */
  readonly secrets: readonly string[];
  /** The types of events that the endpoint receives: names and patterns. */
  readonly events: readonly string[];
  /** Headers that each message has beside those of Standard Webhooks. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The handling of reports of leaked API keys. */
export interface LeakReportConfig {
  /** What the service does with a leaked API key: it marks or ends the key. */
  readonly act: 'mark' | 'end';
  /** The public keys that verify the reports' signatures, or the URL of these keys. */
  readonly keys: ScannerKeys | string;
}

/** The whole checked configuration. */
export interface Config {
  readonly production: boolean;
  /** The variables that are ignored because Kubernetes or Docker set them, to the address of a service. */
  readonly ignored: readonly string[];
  readonly host: string;
  /** The TCP port; 0: any free port. */
  readonly port: number;
  /** The folder of the service's files. */
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  /** The server's secrets; undefined: the service uses development secrets. */
  readonly secrets: SecretKeys | undefined;
  /** The URL by which clients reach this service; undefined: the URL on which it listens. */
  readonly publicUrl: string | undefined;
  /** The number of processes that share the port; 1: only this process. */
  readonly workers: number;
  /** The trusted issuers; empty: the service uses the development identity provider. */
  readonly issuers: readonly IssuerConfig[];
  readonly algorithms: readonly SignatureAlgorithm[];
  /** Bounds of `session_duration`, in seconds, both inclusive. */
  readonly sessionDuration: { readonly min: number; readonly max: number };
  /** The values of automation settings that the account never set. */
  readonly automationDefaults: {
    readonly isEnabled: boolean | null;
    readonly sessionDuration: number | null;
  };
  /** The most active API keys of one account. */
  readonly apiKeysPerAccount: number;
  /** The life of API keys in days: of a key that names no end, and at most; null: no bound. */
  readonly apiKeyDays: { readonly usual: number | null; readonly most: number | null };
  /** The file of the provider's plans; undefined if the provider has no plans. */
  readonly plansFile: string | undefined;
  /** The most changes that one account may make in a day (UTC). */
  readonly changesPerDay: number;
  /** The number of days for which the service keeps the counts of verifications. */
  readonly apiKeyUsageDays: number;
  /** The number of days for which the service keeps API keys that have ended. */
  readonly endedApiKeysDays: number;
  /** The prefix of new API keys. */
  readonly apiKeyPrefix: string;
  /** The permissions that an API key may have; null: any. */
  readonly apiKeyPermissions: readonly string[] | null;
  /** Whether the service stores a sealed copy of each API key. */
  readonly sealApiKeys: boolean;
  readonly http: HttpLimits;
  /** The time for which a stopping service still answers requests, in milliseconds. */
  readonly shutdownDelay: number;
  /** Whether the service offers the operators' fields and routes. */
  readonly operators: boolean;
  /** Whether the service answers GraphQL introspection. */
  readonly introspection: boolean;
  /** The most values that a GraphQL operation may request. */
  readonly documentCost: number;
  readonly webhooks: {
    readonly endpoints: readonly WebhookConfig[];
    /** The hosts that may have a private address. */
    readonly allowedHosts: readonly string[];
  };
  /** The handling of leak reports; undefined: the service accepts none. */
  readonly leakReports: LeakReportConfig | undefined;
  readonly pages: PagesConfig;
  readonly edge: EdgeConfig;
  readonly logLevel: Environment['LOG_LEVEL'];
  /** Whether the log line of a request shows the client's address. */
  readonly logsAddress: boolean;
  /** The listener of the metrics; undefined: the service publishes none. */
  readonly metrics: MetricsConfig | undefined;
  /** The tracing settings; undefined: the service sends no traces. */
  readonly tracing: TracingConfig | undefined;
}
