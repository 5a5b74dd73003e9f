import Sqlite from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  SqliteDialect as KyselyDialect,
  SqliteDriver as KyselyDriver,
  type QueryResult,
  SqliteAdapter,
} from 'kysely';
import type { ReadsAtOnce } from '../db.ts';
import type { Member } from './group.ts';
import { keptSize } from './write-ahead-log.ts';
import { type Guard, isBusy, Statements, Writer, type WriterOptions, whenFree } from './writer.ts';

/** The database file, and the settings of its writer. */
export interface SqliteOptions extends Omit<WriterOptions, 'guard'> {
  /** The path of the database file, or `:memory:`. */
  readonly file: string;
  /** Begins to guard the file that was just opened. */
  readonly watch?: (writer: SqliteConnections['writer']) => Guard | undefined;
}

/** What Kysely would open; the driver here opens other connections, at the first query. */
const nothing = { database: () => Promise.reject(new Error('Kysely itself opens nothing')) };

/**
 * SQLite for Kysely, with better-sqlite3. Concurrent transactions share a commit (see `writer.ts`). A query outside a
 * transaction that only reads uses a separate connection. That connection sees only committed data, and writers do
 * not delay it.
 */
export class SqliteDialect extends KyselyDialect {
  readonly #options: SqliteOptions;
  #driver: SqliteDriver | undefined;

  constructor(options: SqliteOptions) {
    super(nothing);
    this.#options = options;
  }

  /** The underlying connections of better-sqlite3; undefined before the first query. */
  get connections(): SqliteConnections | undefined {
    return this.#driver?.connections;
  }

  override createDriver(): SqliteDriver {
    this.#driver = new SqliteDriver(this.#options);
    return this.#driver;
  }

  override createAdapter(): SqliteAdapter {
    const reads: ReadsAtOnce = {
      readAtOnce: (query) => this.#driver?.readAtOnce(query),
      dataVersion: () => this.#driver?.dataVersion(),
    };
    return Object.assign(new ConcurrentAdapter(), reads);
  }
}

class ConcurrentAdapter extends SqliteAdapter {
  /** Tells Kysely not to queue transactions, because the writer does. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** An open database, to which queries go. */
interface Opened {
  readonly connections: SqliteConnections;
  readonly reader: Statements;
  /** Returns the number that the reader's connection sees change with each commit. */
  readonly dataVersion: Sqlite.Statement<[], number>;
  readonly writer: Writer;
  readonly guard: Guard | undefined;
}

/** Runs Kysely's queries and transactions on an SQLite database. */
class SqliteDriver extends KyselyDriver {
  readonly #options: SqliteOptions;
  #opened: Opened | undefined;

  constructor(options: SqliteOptions) {
    super(nothing);
    this.#options = options;
  }

  get connections(): SqliteConnections | undefined {
    return this.#opened?.connections;
  }

  override async init(): Promise<void> {
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
      dataVersion: reader.prepare<[], number>('pragma data_version').pluck(),
      writer: new Writer(writer, { ...this.#options, guard }),
      guard,
    };
  }

  readAtOnce(query: CompiledQuery): QueryResult<object> | undefined {
    return this.#onReader(({ reader }) => reader.read(query));
  }

  dataVersion(): number | undefined {
    return this.#onReader(({ dataVersion }) => dataVersion.get());
  }

  /** Uses the connection that only reads; undefined if there is none, or if another process's lock blocks it. */
  #onReader<Result>(use: (opened: Opened) => Result): Result | undefined {
    if (!this.#opened) return undefined;
    const { connections } = this.#opened;
    // The writer's own commits would not change its number, and its data may be uncommitted.
    if (connections.reader === connections.writer) return undefined;
    try {
      return use(this.#opened);
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  override async acquireConnection(): Promise<Session> {
    if (!this.#opened) throw new Error('The database is closed');
    return new Session(this.#opened);
  }

  override beginTransaction(session: Session): Promise<void> {
    return session.begin();
  }

  override async commitTransaction(session: Session): Promise<void> {
    await session.member?.release();
  }

  override async rollbackTransaction(session: Session): Promise<void> {
    await session.member?.rollBack();
  }

  override async destroy(): Promise<void> {
    if (!this.#opened) return;
    const { connections, guard, writer } = this.#opened;
    writer.flush();
    closeConnections(connections, guard?.isOverwritten);
    this.#opened = undefined;
  }
}

/** A connection in Kysely's eyes: a single query, or the queries of a transaction. */
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

  /** Yields all rows at once: SQLite has them in the same process. */
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

/** The connections to a database: two for a file; one for a database in memory, which both reads and writes. */
export interface SqliteConnections {
  /** The only connection that changes data. */
  readonly writer: Sqlite.Database;
  /** The connection that sees only committed data; for a database in memory, it is the writer. */
  readonly reader: Sqlite.Database;
}

/**
 * Opens the connections to a file, or to a new database in memory (`:memory:`). Every commit is durable: SQLite
 * writes it to a write-ahead log and syncs that.
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

/**
 * Closes the connections, the writer last: the last connection writes the log back into the file, and the reader may
 * not write. Of a file that was overwritten, the reader comes last: so nothing changes the file's new content.
 */
function closeConnections({ writer, reader }: SqliteConnections, isOverwritten = false): void {
  for (const connection of isOverwritten ? [writer, reader] : [reader, writer]) connection.close();
}

const close = (connection: Sqlite.Database) => void connection.close();

// With a time-out, SQLite would wait for another process's lock inside the call, and block the event loop.
const connect = (file: string, options?: Sqlite.Options) => new Sqlite(file, { ...options, timeout: 0 });

function setUp(connection: Sqlite.Database): Sqlite.Database {
  connection.pragma('synchronous = full');
  connection.pragma('foreign_keys = on');
  return connection;
}
