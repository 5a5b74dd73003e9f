import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConnection, Dialect, Driver } from 'kysely';

/** A connection of MikroORM's, whose dialect of Kysely can be replaced before it is first used. */
interface SqlConnection {
  createKyselyDialect(options: object): Dialect;
}

/**
 * Kysely gives a transaction's connection back only when COMMIT or ROLLBACK succeeds (kysely-org/kysely#1990), and
 * never when BEGIN fails. On SQLite, with its one connection, a full disk would hang the service for good; on
 * PostgreSQL each connection lost inside a transaction would cost a place in the pool. So here a ROLLBACK never fails:
 * where it cannot be done, the transaction has ended with its connection or its failed COMMIT.
 * What fails outside of a statement is told as MikroORM tells the failure of one.
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
  const commit = driver.commitTransaction.bind(driver);
  const rollback = driver.rollbackTransaction.bind(driver);
  const giveBack = (connection: DatabaseConnection) => driver.releaseConnection(connection).catch(() => {});
  const fail = (error: unknown): never => {
    throw convert(error);
  };
  driver.acquireConnection = (options) => acquire(options).catch(fail);
  driver.beginTransaction = async (connection, settings) => {
    try {
      await begin(connection, settings).catch(async () => {
        // A transaction that could not be ended is still open.
        await rollback(connection);
        await begin(connection, settings);
      });
    } catch (error) {
      await giveBack(connection);
      fail(error);
    }
  };
  driver.commitTransaction = (connection) => commit(connection).catch(fail);
  driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {});
  return driver;
}
