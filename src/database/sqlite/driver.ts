import Sqlite from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Member } from './group.ts';
import { keptSize } from './write-ahead-log.ts';
import { type Guard, Statements, Writer, type WriterOptions, whenFree } from './writer.ts';

/** Which database, and how its writer works. */
export interface SqliteOptions extends Omit<WriterOptions, 'guard'> {
  /** The path of a file, or `:memory:`. */
  readonly file: string;
  /** Begins to watch over the file, which was just opened. */
  readonly watch?: (writer: SqliteConnections['writer']) => Guard | undefined;
}

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

/** Where queries go: an open database. */
interface Opened {
  readonly connections: SqliteConnections;
  readonly reader: Statements;
  readonly writer: Writer;
  readonly guard: Guard | undefined;
}

/** Runs Kysely's queries and transactions on an SQLite database. */
class SqliteDriver implements Driver {
  readonly #options: SqliteOptions;
  #opened: Opened | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
  }

  get connections(): SqliteConnections | undefined {
    return this.#opened?.connections;
  }

  async init(): Promise<void> {
    using opened = new DisposableStack();
    const connections = opened.adopt(
      await whenFree(() => openConnections(this.#options.file)),
      closeConnections,
    );
    const { reader, writer } = connections;
    const guard = this.#options.watch?.(writer);
    opened.move();
    this.#opened = {
      connections,
      reader: new Statements(reader),
      writer: new Writer(writer, { ...this.#options, guard }),
      guard,
    };
  }

  async acquireConnection(): Promise<Session> {
    if (!this.#opened) throw new Error('The database is closed');
    return new Session(this.#opened);
  }

  beginTransaction(session: Session): Promise<void> {
    return session.begin();
  }

  async commitTransaction(session: Session): Promise<void> {
    await session.member?.release();
  }

  async rollbackTransaction(session: Session): Promise<void> {
    await session.member?.rollBack();
  }

  async savepoint(session: Session, name: string): Promise<void> {
    await session.executeQuery(CompiledQuery.raw(`savepoint ${quote(name)}`));
  }

  async rollbackToSavepoint(session: Session, name: string): Promise<void> {
    await session.executeQuery(CompiledQuery.raw(`rollback to ${quote(name)}`));
  }

  async releaseSavepoint(session: Session, name: string): Promise<void> {
    await session.executeQuery(CompiledQuery.raw(`release ${quote(name)}`));
  }

  /** There is nothing to give back: a session has no connection of its own. */
  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    if (!this.#opened) return;
    const { connections, guard, writer } = this.#opened;
    writer.flush();
    (isOverwritten(guard) ? abandonConnections : closeConnections)(connections);
    this.#opened = undefined;
  }
}

function isOverwritten(guard: Guard | undefined): boolean {
  try {
    guard?.assertContent();
    return false;
  } catch {
    return true;
  }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** What Kysely takes for a connection: a query, or the queries of a transaction. */
class Session implements DatabaseConnection {
  readonly #database: Opened;
  member: Member | undefined;

  constructor(database: Opened) {
    this.#database = database;
  }

  async begin(): Promise<void> {
    this.member = await this.#database.writer.enter();
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.member ? this.member.run(query) : this.#runAlone(query);
  }

  /** All of the rows at once: SQLite has them in the same process. */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery(query);
  }

  async #runAlone<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { connections, reader, writer } = this.#database;
    const hasReader = connections.reader !== connections.writer;
    const answer = hasReader ? await whenFree(() => reader.read<Row>(query)) : undefined;
    if (answer) return answer;
    return reader.prepare(query.sql).readonly ? writer.runBetween(query) : writer.runAsMember(query);
  }
}

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
function openConnections(file: string): SqliteConnections {
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
function closeConnections({ writer, reader }: SqliteConnections): void {
  reader.close();
  writer.close();
}

/**
 * Closes them where the file was overwritten: nothing is written back into it, for the last one may not write. What
 * was put there stays as it is.
 */
function abandonConnections({ reader, writer }: SqliteConnections): void {
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
