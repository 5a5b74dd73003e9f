import type { Options } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { Dialect } from 'kysely';

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
  refuse(error: Error & { readonly code?: string }): never;
}
