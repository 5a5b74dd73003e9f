// How this service uses its database.
//
// An operation gets a `Db`. With it, the operation runs
//   - a query that `prepareQuery` has built and compiled once, with new values;
//   - a transaction, in which it gets another `Db`.
// The rest of the service knows nothing else of the database. The code for one kind of database is in `sqlite/` and
// `postgresql/`.
//
// MikroORM provides
//   - the schema: `tables.ts` declares the tables, and `npm run db:check` fails if the migrations differ;
//   - the migrations, a list for each kind of database (migration-lists.ts);
//   - the types of rows: `Tables` for writing queries, the entities' classes for results;
//   - the conversion of rows: SQLite stores dates and booleans as numbers (row-reader.ts checks them first);
//   - errors: one class for each fault, whatever the database's words; failures.ts uses it to recognise a 503.
//
// Kysely provides
//   - queries, written with the columns' names, checked by the compiler and compiled to SQL once;
//   - connections and transactions; each kind of database has this service's own dialect.
//
// Nothing uses the ORM's `find` and flush. They store every row in an identity map and compare all rows again at a
// flush: 250 µs a request, and a cached query costs 10 µs. Besides, a flush writes the differences from an earlier
// read. Here, each statement has its own conditions (the owner and the state of the row), so that only one of two
// concurrent changes succeeds.

import { type EntityName, NotNullConstraintViolationException, type SqlEntityManager } from '@mikro-orm/sql';
import { type Compilable, type CompiledQuery, type Kysely, PostgresAdapter, type QueryResult } from 'kysely';
import { serviceUnavailable } from '../errors.ts';
import { once } from '../once.ts';
import { OutcomeUnknownError, UnexpectedValueError } from './failures.ts';
import { nameQuery, type Statement } from './named-query.ts';
import { createRowReader } from './row-reader.ts';
import { runAgain } from './run-again.ts';
import type { Tables } from './tables.ts';
import { unconfirmedChangesOf } from './unconfirmed-changes.ts';

/** The column whose required value was missing, so that a statement failed; undefined for any other error. */
export function missingColumn(error: unknown): string | undefined {
  if (!(error instanceof NotNullConstraintViolationException)) return undefined;
  // PostgreSQL names the column in a member of its own, SQLite at the end of its message.
  const { column, message }: { column?: string; message: string } = error;
  return column ?? message.split('.').at(-1);
}

/** A database in this process, which can answer without a wait. */
export interface ReadsAtOnce {
  /**
   * Answers a query outside a transaction.
   * @returns undefined if the query may change something, or has to wait: then Kysely must run it
   */
  readAtOnce(query: CompiledQuery): QueryResult<object> | undefined;
  /** See {@link Db.dataVersion}; undefined if a database in memory, or another process's lock, has no answer. */
  dataVersion(): number | undefined;
}

/** The readers of rows, for each database and entity. */
const readersOf = once((_metadata: object) =>
  once((_entity: object, create: () => (row: object) => object) => create()),
);

/**
 * The database of operations, or a transaction in it. The object has no state of a request, so one serves all
 * requests.
 */
export class Db {
  readonly kysely: Kysely<Tables>;
  /** The time after which no query is sent, by `performance.now()`; infinite if there is none. */
  readonly deadline: number;
  protected readonly em: SqlEntityManager;

  /**
   * @param em the global entity manager
   * @param kysely runs the queries; the manager's own Kysely if missing
   * @param deadline the time after which no query is sent, by `performance.now()`
   */
  constructor(
    em: SqlEntityManager,
    kysely: Kysely<Tables> = em.getKysely<Tables>(),
    deadline = Number.POSITIVE_INFINITY,
  ) {
    this.em = em;
    this.kysely = kysely;
    this.deadline = deadline;
  }

  /** Whether this is a transaction. */
  get isTransaction(): boolean {
    return this.kysely.isTransaction;
  }

  /**
   * The same database for a request with a deadline (by `performance.now()`): after it, the request changes nothing
   * any more.
   */
  until(deadline: number): Db {
    return new Db(this.em, this.kysely, deadline);
  }

  /**
   * Checks the deadline, because nobody waits for the answer after it.
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` after the deadline
   */
  assertInTime(): void {
    if (performance.now() >= this.deadline) throw serviceUnavailable('answer-timeout');
  }

  /**
   * Runs a query.
   * @param entity the entity whose properties replace the columns
   * @returns the rows, with the entity's names and types: SQLite stores dates and booleans as numbers
   * @throws {DriverException} the ORM's error for the database's error
   * @throws {UnexpectedValueError} if a value is not what its column holds
   * @throws {OutcomeUnknownError} if COMMIT went along with the query, and the answer never came
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` after the deadline
   */
  async run(query: Statement, entity: EntityName): Promise<object[]> {
    const { deadline } = this;
    this.assertInTime();
    try {
      // Names each member, because spreading an object takes ten times as long, and this runs for every query.
      const { sql, name, queryId, query: node, parameters, last } = query;
      const statement: Statement = { sql, name, queryId, query: node, parameters, last, deadline };
      const { rows } = this.#readAtOnce(statement) ?? (await this.#execute(statement));
      return rows.map(this.#readerOf(entity));
    } catch (error) {
      throw this.#convert(error);
    }
  }

  /**
   * A number that differs after each commit to the database, by whatever process: what is committed stays the same as
   * long as it does.
   * @returns undefined if there is no such number: in a transaction, on PostgreSQL, and of a database in memory
   * @throws {DriverException} the ORM's error for the database's error
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` after the deadline
   */
  dataVersion(): number | undefined {
    this.assertInTime();
    if (this.isTransaction) return undefined;
    try {
      return this.#inProcess.dataVersion?.();
    } catch (error) {
      throw this.#convert(error);
    }
  }

  /** What only a database in this process has. */
  get #inProcess(): Partial<ReadsAtOnce> {
    return this.kysely.getExecutor().adapter as Partial<ReadsAtOnce>;
  }

  /** Runs a statement; again if it failed and certainly changed nothing, unless a transaction failed with it. */
  #execute(statement: Statement): Promise<QueryResult<object>> {
    const execute = () => this.kysely.executeQuery<object>(statement);
    return this.isTransaction ? execute() : runAgain(execute);
  }

  #readerOf(entity: EntityName): (row: object) => object {
    return readersOf(this.em.getMetadata())(entity, () =>
      createRowReader(this.em, entity, isForPostgres(this.kysely)),
    );
  }

  #readAtOnce(query: CompiledQuery): QueryResult<object> | undefined {
    if (this.isTransaction) return undefined;
    return this.#inProcess.readAtOnce?.(query);
  }

  /**
   * Runs a function in a transaction. If the function throws, the transaction changes nothing.
   * @param run may run several times if the runs before stored nothing, so it must change nothing but the database
   * @throws {OutcomeUnknownError} if COMMIT was sent and never answered
   */
  transaction<Result>(run: (db: Db) => Promise<Result>): Promise<Result> {
    return runAgain(() => this.#attempt(run));
  }

  async #attempt<Result>(run: (db: Db) => Promise<Result>): Promise<Result> {
    let ofWork: unknown;
    try {
      return await this.kysely.transaction().execute(async (transaction) => {
        try {
          return await run(new Db(this.em, transaction, this.deadline));
        } catch (error) {
          ofWork = error;
          throw error;
        }
      });
    } catch (error) {
      // Either the function failed, or the transaction itself.
      const reason = error === ofWork ? error : this.#convert(error);
      unconfirmedChangesOf(this.em.getDriver()).note(reason);
      throw reason;
    }
  }

  /** Converts a database error to the ORM's error; other errors stay unchanged. */
  #convert(error: unknown): unknown {
    if (error instanceof OutcomeUnknownError || error instanceof UnexpectedValueError) return error;
    return this.em.getDriver().convertException(error as Error);
  }
}

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/**
 * The entity's property of a column; a foreign key becomes its relation: `created_at` → `createdAt`, `account_id` →
 * `account`.
 */
type PropertyOf<Column> = Column extends `${infer Relation}_id` ? CamelCase<Relation> : CamelCase<Column>;

/** A row with the property names of its entity. */
export type EntityRow<Row> = { [Column in keyof Row as PropertyOf<Column> & string]: Row[Column] };

/** A placeholder in a query for a value of a later run. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const parameters = new Proxy({}, { get: (_target, name) => new Parameter(String(name)) });

/** The place of a query in its transaction. */
interface Place {
  /**
   * Whether the query is the last of its transaction. COMMIT then goes along with it to PostgreSQL, which saves a
   * round trip.
   */
  readonly last?: boolean;
}

/** Runs a query with its values; the rows become data of the query's entity. */
export type PreparedQuery<Values, Row> = (db: Db, values: Values, place?: Place) => Promise<EntityRow<Row>[]>;

/** Whether a query is for PostgreSQL, and not for SQLite: a few things differ in their SQL. */
export const isForPostgres = (kysely: Kysely<Tables>): boolean =>
  kysely.getExecutor().adapter instanceof PostgresAdapter;

/**
 * Prepares a query: it is built and compiled once for each kind of database, and runs with other values each time.
 * @param entity the entity whose properties replace the columns of a row
 * @param build builds the query; it must use each value as a whole, and must not look into it
 */
export function prepareQuery<Values extends object, Row>(
  entity: EntityName,
  build: (kysely: Kysely<Tables>, values: Values) => Compilable<Row>,
): PreparedQuery<Values, Row> {
  const compile = once((_adapter: object, kysely: Kysely<Tables>) =>
    nameQuery(build(kysely, parameters as Values).compile()),
  );
  return (db, values, place) => {
    const query = compile(db.kysely.getExecutor().adapter, db.kysely);
    const bound = query.parameters.map((value) =>
      value instanceof Parameter ? values[value.name as keyof Values] : value,
    );
    const { sql, name, queryId, query: node } = query;
    const statement = { sql, name, queryId, query: node, parameters: bound, last: place?.last };
    return db.run(statement, entity) as Promise<EntityRow<Row>[]>;
  };
}

/**
 * Runs a query whose text varies, for example with the length of a list. Use {@link prepareQuery} for a query with a
 * constant text.
 * @param entity the entity whose properties replace the columns of a row
 */
export const runQuery = async <Row>(
  db: Db,
  entity: EntityName,
  query: Compilable<Row>,
): Promise<EntityRow<Row>[]> => (await db.run(query.compile(), entity)) as EntityRow<Row>[];
