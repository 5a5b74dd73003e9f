import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { keptSize } from './write-ahead-log.ts';

/** The connections to a database: of a file two, of a database in memory one that does the work of both. */
export interface SqliteConnections {
  /** The only one that changes anything. */
  readonly writer: Sqlite.Database;
  /** Sees what is committed and nothing else; in memory it is the writer. */
  readonly reader: Sqlite.Database;
}

/**
 * Opens the connections to a file, or to a database in memory of their own (`:memory:`). Every commit is durable: it
 * goes to a write-ahead log, which is synced.
 */
export function openConnections(file: string): SqliteConnections {
  using opened = new DisposableStack();
  const writer = opened.adopt(connect(file), close);
  writer.pragma('journal_mode = wal');
  writer.pragma(`journal_size_limit = ${keptSize}`);
  setUp(writer);
  const inMemory = file === ':memory:';
  const reader = inMemory ? writer : setUp(opened.adopt(connect(file, { readonly: true }), close));
  opened.move();
  return { writer, reader };
}

/** Closes them. The writer comes last: the last one writes the log back into the file, which the reader may not. */
export function closeConnections({ writer, reader }: SqliteConnections): void {
  reader.close();
  writer.close();
}

/**
 * Closes them where the file was overwritten: nothing is written back into it, for the last one may not write. What
 * was put there stays as it is.
 */
export function abandonConnections({ reader, writer }: SqliteConnections): void {
  writer.close();
  reader.close();
}

const close = (connection: Sqlite.Database) => void connection.close();

// SQLite would wait for another process's lock inside of a call, and the event loop with it.
const connect = (file: string, options?: Sqlite.Options) => new Sqlite(file, { ...options, timeout: 0 });

function setUp(connection: Sqlite.Database): Sqlite.Database {
  connection.pragma('synchronous = full');
  connection.pragma('foreign_keys = on');
  return connection;
}

/** How many statements of a connection are kept; one that is dropped is finalised when it is collected. */
const mostKept = 500;

/** What SQLite has no type of its own for, as the ORM stores it. */
const toSqlite = (value: unknown): unknown => {
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Date ? value.getTime() : value;
};

/** The statements of a connection, each prepared once and kept. */
export class Statements {
  readonly #connection: Sqlite.Database;
  readonly #kept = new LRUCache<string, Sqlite.Statement<unknown[]>>({ max: mostKept });

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
  }

  /** A statement, ready to be run. */
  prepare(sql: string): Sqlite.Statement<unknown[]> {
    const kept = this.#kept.get(sql);
    if (kept) return kept;
    const statement = this.#connection.prepare<unknown[]>(sql);
    this.#kept.set(sql, statement);
    return statement;
  }

  /** Runs a query; its values may be dates and booleans. */
  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.prepare(sql);
    const values = parameters.map(toSqlite);
    if (statement.reader) return { rows: statement.all(values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Runs a query where all that it does is to answer rows; undefined where it would do more. */
  read<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> | undefined {
    const statement = this.prepare(sql);
    if (!statement.reader || !statement.readonly) return undefined;
    return { rows: statement.all(parameters.map(toSqlite)) as Row[] };
  }
}

/** How long another process's lock is waited for, and how long between two attempts, in milliseconds. */
const patience = 5000;
const pause = 10;

/** Whether another process's lock was in the way. */
export const isBusy = (error: unknown): boolean =>
  String((error as { readonly code?: unknown }).code).startsWith('SQLITE_BUSY');

/**
 * Runs what another process's lock may be in the way of. It is tried again between turns of the event loop: SQLite
 * itself would wait inside of the call, and everybody with it.
 * @param since when the waiting began, by `performance.now()`; left out: now
 * @throws what SQLite says; `SQLITE_BUSY` after five seconds
 */
export async function whenFree<Result>(run: () => Result, since?: number): Promise<Result> {
  let begunAt = since;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      begunAt ??= performance.now();
      if (performance.now() - begunAt >= patience) throw error;
    }
    await delay(pause);
  }
}
