// How this service asks its database.
//
// An operation is given a `Db`. With it, it runs
//   - a query, which `prepareQuery` has built and compiled once, with the values of this time;
//   - a transaction, in which it is given another `Db`.
// The service knows no more of its database. What belongs to one sort of database lies in `sqlite/` and `postgresql/`.
//
// MikroORM gives
//   - the schema: `tables.ts` says what is stored, and `npm run db:check` fails where the migrations say otherwise;
//   - the migrations, a list for each sort of database (migration-lists.ts);
//   - the types of rows: `Tables` where a query is written, the entities' classes for what comes back;
//   - rows as data: dates and booleans of what SQLite keeps as numbers;
//   - errors: one class for what each database says in its own words; failures.ts knows by it what is a 503.
//
// Kysely gives
//   - queries, written in the columns' names, checked by the compiler and compiled to SQL once;
//   - connections and transactions, each sort of database by a dialect of our own.
//
// Nothing goes through the ORM's `find` and flush. They keep every row in an identity map and compare all of them
// again at a flush: 250 µs a request, where a query that is kept costs 10. And a flush writes what differs from what
// was read before; here each statement holds its own conditions (whose row it is, and in which state), so that of two
// at once one makes the change.

import { type EntityName, NotNullConstraintViolationException, type SqlEntityManager } from '@mikro-orm/sql';
import { type Compilable, type Kysely, PostgresAdapter } from 'kysely';
import { serviceUnavailable } from '../errors.ts';
import { isLostStatement, OutcomeUnknownError } from './failures.ts';
import { type NamedQuery, nameQuery, type Question } from './named-query.ts';
import type { Tables } from './tables.ts';

/** Whether a statement has failed for want of a value that every row has. */
export const isMissingValue = (error: unknown): boolean =>
  error instanceof NotNullConstraintViolationException;

/** The database as operations see it, or a transaction in it. It remembers nothing: one serves all requests. */
export class Db {
  readonly kysely: Kysely<Tables>;
  protected readonly em: SqlEntityManager;
  protected readonly deadline: number;

  /**
   * @param em the global entity manager
   * @param kysely what runs the queries, where it is not the manager's own
   * @param deadline from when on nothing is asked, on the clock of `performance.now`
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

  /** The same for a request, which is answered by then: what it has not changed until then, it never does. */
  until(deadline: number): Db {
    return new Db(this.em, this.kysely, deadline);
  }

  /** @throws {GatewayError} `SERVICE_UNAVAILABLE` after the deadline: nobody waits for the answer any more */
  assertInTime(): void {
    if (performance.now() >= this.deadline) throw serviceUnavailable('answer-timeout');
  }

  /**
   * Runs a query.
   * @param entity whose properties the columns become
   * @returns its rows, with the entity's names and types: SQLite stores dates and booleans as numbers
   * @throws {DriverException} the ORM's error for what the database said
   * @throws {OutcomeUnknownError} where it went with COMMIT, and the answer never came
   * @throws {GatewayError} `SERVICE_UNAVAILABLE` after the deadline
   */
  async run(query: Question, entity: EntityName): Promise<object[]> {
    const { deadline } = this;
    this.assertInTime();
    const driver = this.em.getDriver();
    const metadata = this.em.getMetadata().get(entity);
    try {
      // Each member by its name: to spread an object takes ten times as long, and this runs for every query.
      const { sql, name, queryId, query: node, parameters, last } = query;
      const question: Question = { sql, name, queryId, query: node, parameters, last, deadline };
      const { rows } = await this.kysely.executeQuery<object>(question);
      return rows.map((row) => driver.mapResult(row, metadata) as object);
    } catch (error) {
      throw this.#convert(error);
    }
  }

  /**
   * Runs what happens as a whole or, where it throws, not at all.
   * @param run may be run a second time, where the first has stored nothing: it must change nothing but the database
   * @throws {OutcomeUnknownError} where COMMIT was sent, and the answer never came
   */
  async transaction<Result>(run: (db: Db) => Promise<Result>): Promise<Result> {
    try {
      return await this.#attempt(run);
    } catch (error) {
      if (!isLostStatement(error)) throw error;
      return await this.#attempt(run);
    }
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
      // What failed was the work, or else the transaction itself.
      throw error === ofWork ? error : this.#convert(error);
    }
  }

  /** The ORM's error for what the database said; what is not the database's stays as it is. */
  #convert(error: unknown): unknown {
    if (error instanceof OutcomeUnknownError) return error;
    return this.em.getDriver().convertException(error as Error);
  }
}

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** The entity's property behind a column; a foreign key belongs to the relation that it stands for. */
type PropertyOf<Column> = Column extends `${infer Relation}_id` ? CamelCase<Relation> : CamelCase<Column>;

/** A row in the names of its entity. */
export type EntityRow<Row> = { [Column in keyof Row as PropertyOf<Column> & string]: Row[Column] };

/** Stands in a query for a value that is known when it runs. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const parameters = new Proxy({}, { get: (_target, name) => new Parameter(String(name)) });

/** Where a query stands. */
interface Place {
  /** Whether nothing follows it in its transaction. PostgreSQL then gets COMMIT with it, and is waited for once. */
  readonly last?: boolean;
}

/** Runs a query with its values; the rows are data of its entity. */
export type PreparedQuery<Values, Row> = (db: Db, values: Values, place?: Place) => Promise<EntityRow<Row>[]>;

/** Whether a query is built for PostgreSQL, and not for SQLite: the two have different words for a few things. */
export const isForPostgres = (kysely: Kysely<Tables>): boolean =>
  kysely.getExecutor().adapter instanceof PostgresAdapter;

/**
 * A query that is built and compiled once for each sort of database, and run with other values each time.
 * @param entity whose properties the columns of a row become
 * @param build the query; it must use each value as a whole and look into none
 */
export function prepareQuery<Values extends object, Row>(
  entity: EntityName,
  build: (kysely: Kysely<Tables>, values: Values) => Compilable<Row>,
): PreparedQuery<Values, Row> {
  const compiled = new WeakMap<object, NamedQuery>();
  const compile = (kysely: Kysely<Tables>): NamedQuery => {
    const { adapter } = kysely.getExecutor();
    const query = compiled.get(adapter) ?? nameQuery(build(kysely, parameters as Values).compile());
    compiled.set(adapter, query);
    return query;
  };
  return async (db, values, place) => {
    const query = compile(db.kysely);
    const bound = query.parameters.map((value) =>
      value instanceof Parameter ? values[value.name as keyof Values] : value,
    );
    const { sql, name, queryId, query: node } = query;
    const question = { sql, name, queryId, query: node, parameters: bound, last: place?.last };
    return (await db.run(question, entity)) as EntityRow<Row>[];
  };
}

/**
 * Runs a query that is not the same each time, as where a list is in it. One that is, is prepared.
 * @param entity whose properties the columns of a row become
 */
export const runQuery = async <Row>(
  db: Db,
  entity: EntityName,
  query: Compilable<Row>,
): Promise<EntityRow<Row>[]> => (await db.run(query.compile(), entity)) as EntityRow<Row>[];
