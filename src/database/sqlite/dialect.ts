import {
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteConnections } from './connections.ts';
import { SqliteDriver, type SqliteOptions } from './driver.ts';

/**
 * SQLite for Kysely, by better-sqlite3. Transactions that come together share a commit (see `writer.ts`). A query
 * outside of a transaction that only reads goes to a connection of its own, which sees what is committed and nothing
 * else; writers do not hold it up.
 */
export class SqliteDialect implements Dialect {
  readonly #options: SqliteOptions;
  #driver: SqliteDriver | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  /** The connections of better-sqlite3 below it; undefined before the first query. */
  get connections(): SqliteConnections | undefined {
    return this.#driver?.connections;
  }

  createDriver(): Driver {
    this.#driver = new SqliteDriver(this.#options);
    return this.#driver;
  }

  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }

  createAdapter(): SqliteAdapter {
    return new ConcurrentAdapter();
  }

  createIntrospector(kysely: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(kysely);
  }
}

class ConcurrentAdapter extends SqliteAdapter {
  /** Kysely lets nobody wait: the writer does. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
