import Sqlite from 'better-sqlite3';
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
