import type { Database, Statement } from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';

/** How many statements of a connection are kept; one that is dropped is finalised when it is collected. */
const most = 500;

/** What SQLite has no type of its own for, as the ORM stores it. */
const toSqlite = (value: unknown): unknown => {
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Date ? value.getTime() : value;
};

/** The statements of a connection, each prepared once and kept. */
export class Statements {
  readonly #connection: Database;
  readonly #kept = new LRUCache<string, Statement<unknown[]>>({ max: most });

  constructor(connection: Database) {
    this.#connection = connection;
  }

  /** A statement, ready to be run. */
  prepare(sql: string): Statement<unknown[]> {
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
