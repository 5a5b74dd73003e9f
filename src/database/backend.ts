import type { Options } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { CompiledQuery, Dialect } from 'kysely';

/** The numbers of connections to PostgreSQL, from `pg`'s pool. */
export interface ConnectionPool {
  /** The number of open connections. */
  readonly totalCount: number;
  /** The number of open connections that are not in use. */
  readonly idleCount: number;
  /** The number of callers that wait for a connection. */
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/** Receives a message for the operator, in words. */
export type Warn = (message: string) => void;

/** What a backend finds out about the database when it opens. */
export interface Findings {
  /** The real name of the database: a pooler may know it by another one. */
  readonly database: string;
  /** The settings with which confirmed data can be lost or read by others, each in words for an operator. */
  readonly risks: readonly string[];
  /** Why the user cannot update the schema, in words with what to do; undefined if the user can. */
  readonly migrationFault: string | undefined;
}

/** The code for one kind of database: the ORM's options, and the steps of opening. Making a backend opens nothing. */
export interface Backend {
  /** The ORM's options for this kind of database: the driver and its connection. */
  readonly options: Partial<Options<AbstractSqlDriver>>;
  /** The dialect that runs the queries of both the ORM and Kysely. */
  readonly dialect?: Dialect | undefined;
  /**
   * Takes the locks that the first connection requires; disposing of the result, after the last connection, releases
   * them.
   * @throws {ConfigError} if another process has them
   */
  hold?(): Disposable;
  /**
   * Checks that the file exists, for a command that does not hold it.
   * @throws {ConfigError} if the file is missing or has several names
   */
  assertThere?(): void;
  /**
   * Finds out whether the database can be used.
   * @param run runs a query and returns its rows, by the first connection
   * @throws {ConfigError} if it cannot; {@link refuse} converts any other error
   */
  examine?(run: (query: CompiledQuery) => Promise<readonly unknown[]>): Promise<Findings>;
  /** The pool of connections; undefined if there is none. */
  readonly pool?: ConnectionPool;
  /** The size of the write-ahead log in bytes, if the log is a file of this process. */
  walSize?(): number;
  /**
   * Asks the database for a present fault, in one round trip.
   * @returns the fault in words, for an operator; undefined if there is none
   * @throws {Error} if the database does not answer
   */
  check(): Promise<string | undefined>;
  /**
   * Converts an error at the opening.
   * @throws {ConfigError} or {NotThereError}; the error itself if it has another cause
   */
  refuse(error: Error & { readonly code?: unknown }): never;
}
