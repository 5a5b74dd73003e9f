import type { EntityName, SqlEntityManager } from '@mikro-orm/sql';
import type { CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * The database as operations see it, or a transaction in it: the entity manager's Kysely, and the ORM's way to read a
 * row. Nothing goes through an identity map, so one serves all requests.
 */
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

  /** Runs what happens as a whole or, where it throws, not at all. */
  async transaction<Result>(run: (db: Db) => Promise<Result>): Promise<Result> {
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
