// How this service asks its database.
//
// An operation is given a `Db`. With it, it runs
//   - a query, which `prepareQuery` (prepare-query.ts) has built and compiled once, with the values of this time;
//   - a transaction, in which it is given another `Db`.
// The service knows no more of its database. What belongs to one sort of database lies in `sqlite/` and `postgresql/`.
//
// MikroORM gives
//   - the schema: `tables.ts` says what is stored, and `npm run db:check` fails where the migrations say otherwise;
//   - the migrations, a list for each sort of database (migration-lists.ts);
//   - the types of rows: `Tables` where a query is written, the entities' classes for what comes back;
//   - rows as data: dates and booleans of what SQLite keeps as numbers;
//   - errors: one class for what each database says in its own words; translate-error.ts knows by it what is a 503.
//
// Kysely gives
//   - queries, written in the columns' names, checked by the compiler and compiled to SQL once;
//   - connections and transactions, each sort of database by a dialect of our own.
//
// Nothing goes through the ORM's `find` and flush. They keep every row in an identity map and compare all of them
// again at a flush: 250 µs a request, where a query that is kept costs 10. And a flush writes what differs from what
// was read before; here each statement holds its own conditions (whose row it is, and in which state), so that of two
// at once one makes the change.

import type { EntityName, SqlEntityManager } from '@mikro-orm/sql';
import type { CompiledQuery, Kysely } from 'kysely';
import { isLostStatement } from './lost-statement.ts';
import type { Tables } from './tables.ts';

/** The database as operations see it, or a transaction in it. It remembers nothing: one serves all requests. */
export class Db {
  readonly kysely: Kysely<Tables>;
  protected readonly em: SqlEntityManager;

  /**
   * @param em the global entity manager
   * @param kysely what runs the queries, where it is not the manager's own
   */
  constructor(em: SqlEntityManager, kysely: Kysely<Tables> = em.getKysely<Tables>()) {
    this.em = em;
    this.kysely = kysely;
  }

  /**
   * Runs a query.
   * @param entity whose properties the columns become
   * @returns its rows as data of the entity: dates and booleans for what SQLite keeps as numbers
   * @throws {DriverException} the ORM's error for what the database said
   */
  async run(query: CompiledQuery, entity: EntityName): Promise<object[]> {
    const driver = this.em.getDriver();
    const metadata = this.em.getMetadata().get(entity);
    try {
      const { rows } = await this.kysely.executeQuery(query);
      return rows.map((row) => driver.mapResult(row as object, metadata) as object);
    } catch (error) {
      throw driver.convertException(error as Error);
    }
  }

  /**
   * Runs what happens as a whole or, where it throws, not at all.
   * @param run may be run a second time, where the first has stored nothing: it must change nothing but the database
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
          return await run(new Db(this.em, transaction));
        } catch (error) {
          ofWork = error;
          throw error;
        }
      });
    } catch (error) {
      // What failed was the work, or else the transaction itself.
      throw error === ofWork ? error : this.em.getDriver().convertException(error as Error);
    }
  }
}
