import type { SecretKeys } from '../secrets/secret-keys.ts';
import type { Environment } from './environment.ts';
import type { SignatureAlgorithm } from './issuers.ts';

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
  readonly pages: PagesConfig;
  readonly logLevel: Environment['LOG_LEVEL'];
  /** Where metrics are served; undefined: nowhere. */
  readonly metrics: MetricsConfig | undefined;
  /** How traces are sent; undefined: none are. */
  readonly tracing: TracingConfig | undefined;
}
