import type { MikroORM, Options } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { Dialect } from 'kysely';

/** What is known of the connections to PostgreSQL: those of `pg`'s pool. */
export interface ConnectionPool {
  /** Connections that are open. */
  readonly totalCount: number;
  /** Those of them that nobody uses. */
  readonly idleCount: number;
  /** Who waits for one. */
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

/** Is told something that an operator should know, in words. */
export type Warn = (message: string) => void;

/** What one sort of database brings: how the ORM reaches it, and what opening it takes beside. Making it opens nothing. */
export interface Backend {
  /** The ORM's options that are its own: the driver and how it connects. */
  readonly options: Partial<Options<AbstractSqlDriver>>;
  /** What runs the queries of both the ORM and Kysely. */
  readonly dialect?: Dialect | undefined;
  /**
   * Takes what must be had before the first connection; it is given back after the last.
   * @throws {ConfigError} where another process has it
   */
  hold?(): Disposable;
  /**
   * Makes sure that the file is there, for who does not hold it.
   * @throws {ConfigError} where it is not, or has several names
   */
  assertThere?(): void;
  /** Readies the connection that was just made. */
  ready?(orm: MikroORM<AbstractSqlDriver>): Promise<void>;
  /** Its pool of connections, where it has one. */
  readonly pool?: ConnectionPool;
  /** How many bytes its write-ahead log takes up, where that is a file of this process's. */
  walSize?(): number;
  /**
   * Asks the database what it cannot do now, in one round trip.
   * @returns it in words, for an operator; undefined: nothing is wrong
   * @throws where it does not answer
   */
  check(): Promise<string | undefined>;
  /**
   * Says why it could not be opened.
   * @throws {ConfigError} or {NotThereError}, or the error itself, where neither is why
   */
  refuse(error: Error & { readonly code?: string }): never;
}
