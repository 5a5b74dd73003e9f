import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { Dialect, Driver } from 'kysely';

/** A connection of MikroORM's, whose dialect of Kysely can be replaced before it is first used. */
interface SqlConnection {
  createKyselyDialect(options: object): Dialect;
}

/**
 * Kysely tells of a ROLLBACK that fails in place of why the transaction failed. So here none fails: where it cannot be
 * done, the transaction has ended with its connection or its failed COMMIT, or else the next BEGIN on the connection,
 * which on SQLite is always the same one, ends it first.
 * A connection that cannot be had is told as MikroORM tells the failure of a statement.
 */
export function mendTransactions(orm: MikroORM<AbstractSqlDriver>): void {
  const connection = orm.em.getConnection() as unknown as SqlConnection;
  const convert = (error: unknown) => orm.em.getDriver().convertException(error as Error);
  const create = connection.createKyselyDialect.bind(connection);
  connection.createKyselyDialect = (options) => {
    const dialect = create(options);
    const createDriver = dialect.createDriver.bind(dialect);
    dialect.createDriver = () => mend(createDriver(), convert);
    return dialect;
  };
}

function mend(driver: Driver, convert: (error: unknown) => Error): Driver {
  const acquire = driver.acquireConnection.bind(driver);
  const begin = driver.beginTransaction.bind(driver);
  const rollback = driver.rollbackTransaction.bind(driver);
  driver.acquireConnection = (options) =>
    acquire(options).catch((error) => {
      throw convert(error);
    });
  driver.beginTransaction = (connection, settings) =>
    begin(connection, settings).catch(async () => {
      await driver.rollbackTransaction(connection);
      await begin(connection, settings);
    });
  driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {});
  return driver;
}
