import type { SecretKeys } from '../secrets/secret-list.ts';
import type { Environment } from './environment.ts';
import type { ScopeOverOthers, SignatureAlgorithm } from './issuers.ts';
import type { ScannerKeys } from './scanner-keys.ts';

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
  /** The scopes that it may grant beside those that reach what is one's own. */
  readonly grants: readonly ScopeOverOthers[];
}

/** How many requests are answered in a time. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** Whose requests are counted, each by a rate of its own; undefined: they are not limited. */
export interface Rates {
  /** Of one client address. */
  readonly address?: Rate | undefined;
  /** Of one person. */
  readonly account?: Rate | undefined;
  /** Of one caller that may verify API keys. */
  readonly verifier?: Rate | undefined;
  /** With one API key, at a reverse proxy. */
  readonly apiKey?: Rate | undefined;
}

/** The database, and how long is waited for it. */
export interface DatabaseConfig {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string;
  /** Whether the schema is brought up to date at the start; otherwise an older one is refused. */
  readonly migrateAtStart: boolean;
  /** The most connections of one process to PostgreSQL. */
  readonly poolSize: number;
  /** Whether PostgreSQL keeps statements that are run again and again, planned. */
  readonly statements: 'named' | 'unnamed';
  /** In milliseconds. */
  readonly timeouts: {
    /** PostgreSQL's. */
    readonly connect: number;
    /** PostgreSQL's. */
    readonly statement: number;
    readonly idleInTransaction: number;
  };
}

/** The pages for a browser. */
export interface PagesConfig {
  /** Which of them there are. */
  readonly shown: readonly PageName[];
  /** How they sign a person in; undefined: a token is pasted. */
  readonly signIn: BrowserClient | undefined;
}

/** The name of a page for a browser. */
export type PageName = 'console' | 'graphiql' | 'reference';

/** The pages, as the identity provider knows them. */
export interface BrowserClient {
  readonly clientId: string;
  /** What is sent beside the standard's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The listener of the metrics. */
export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
}

/** What of tracing OpenTelemetry's own code does not read from the environment by itself. */
export interface TracingConfig {
  readonly sampler: Environment['OTEL_TRACES_SAMPLER'];
  /** The part of all requests that a sampler by ratio takes, from 0 to 1. */
  readonly ratio: number;
  /** How long sending may take, in milliseconds. */
  readonly timeout: number;
}

/** How much a connection and a request may take up: sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly body: number;
  /** The request line and the headers. */
  readonly headers: number;
  /** Connections at a time. */
  readonly connections: number;
  readonly timeouts: {
    /** Until the headers of a request are here. */
    readonly headers: number;
    /** Until the whole of a request is here. */
    readonly request: number;
    /** Until it is answered. */
    readonly answer: number;
    /** Until an idle connection is closed. */
    readonly keepAlive: number;
  };
}

/** What stands between callers and the operations. */
export interface EdgeConfig {
  /** Addresses and ranges of the proxies that are believed. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may read answers. */
  readonly corsOrigins: readonly string[];
  /** For how many seconds browsers are to come by TLS alone; undefined: nothing is said of it. */
  readonly hstsMaxAge: number | undefined;
  readonly rates: Rates;
  /** Addresses and ranges that the limit of addresses does not count. */
  readonly exemptAddresses: readonly string[];
  /** The most requests that one process works on at once. */
  readonly maxInFlight: number;
}

/** Where a provider is told of events. */
export interface WebhookConfig {
  readonly url: string;
  /** One, or two while one is replaced by the other: `whsec_…`. */
  readonly secrets: readonly string[];
  /** Of which types of events: names and patterns. */
  readonly events: readonly string[];
}

/** How reports of leaked API keys are taken. */
export interface LeakReportConfig {
  /** What becomes of a key that has leaked. */
  readonly act: 'mark' | 'end';
  /** The keys that reports are signed by, or the URL where they are. */
  readonly keys: ScannerKeys | string;
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
  /** What automation settings read as that were never set. */
  readonly automationDefaults: {
    readonly isEnabled: boolean | null;
    readonly sessionDuration: number | null;
  };
  /** The most active API keys of one account. */
  readonly apiKeysPerAccount: number;
  /** How many days counts of verifications are kept. */
  readonly apiKeyUsageDays: number;
  /** What new API keys begin with. */
  readonly apiKeyPrefix: string;
  /** The permissions that an API key may be given; null: any. */
  readonly apiKeyPermissions: readonly string[] | null;
  /** Whether of each API key a sealed copy is kept. */
  readonly sealApiKeys: boolean;
  readonly http: HttpLimits;
  /** How long it still answers after it was told to stop, in milliseconds. */
  readonly shutdownDelay: number;
  /** Whether operators' fields and routes are there. */
  readonly operators: boolean;
  /** Whether GraphQL's introspection is answered. */
  readonly introspection: boolean;
  /** The most values that an operation of GraphQL may ask for. */
  readonly documentCost: number;
  readonly webhooks: {
    readonly endpoints: readonly WebhookConfig[];
    /** Hosts that may have a private address. */
    readonly allowedHosts: readonly string[];
  };
  /** Undefined: none are taken. */
  readonly leakReports: LeakReportConfig | undefined;
  readonly pages: PagesConfig;
  readonly edge: EdgeConfig;
  readonly logLevel: Environment['LOG_LEVEL'];
  /** Whether a request's line in the log has the client's address. */
  readonly logsAddress: boolean;
  /** Where metrics are served; undefined: nowhere. */
  readonly metrics: MetricsConfig | undefined;
  /** How traces are sent; undefined: none are. */
  readonly tracing: TracingConfig | undefined;
}
