// The first migration here replaces sixteen older ones. A database that has all of them is almost what the first migration
// makes: three statements are missing. So its data stays, and the names of its migrations are replaced.

import { hash } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { isPostgres } from './database.ts';

/** The last of the replaced migrations. */
const lastReplaced = (config: DatabaseConfig): string =>
  isPostgres(config) ? 'Migration20261122191709_compatible' : 'Migration20261122191707_compatible';

/** SHA-256 of the tables and columns after that migration. Only PostgreSQL has one more table, `rate_limit`. */
const replacedSchema = '2ec79d85b66be56ba3af3a72fd1b20c9de79ca63536cb8915972e957b5a3636e';

const columns = {
  sqlite: `select m.name || '.' || c.name as place from sqlite_master as m, pragma_table_info(m.name) as c
    where m.type = 'table' and m.name not like 'sqlite_%' and m.name <> 'mikro_orm_migrations'`,
  postgres: `select table_name || '.' || column_name as place from information_schema.columns
    where table_schema = current_schema() and table_name not in ('mikro_orm_migrations', 'rate_limit')`,
};

const missing = [
  'alter table account add column is_being_erased boolean not null default false',
  'create index account_being_erased on account (is_being_erased) where is_being_erased = true',
  'drop table api_key_lease',
];

/**
 * Whether a database has all migrations that the first one here replaces, and not the first one itself.
 * @param applied the names of its migrations
 * @param first the name of the first migration here
 */
export const isAdoptable = (applied: readonly string[], first: string, config: DatabaseConfig): boolean =>
  applied.includes(lastReplaced(config)) && !applied.includes(first);

/**
 * Turns an adoptable database into one that has had the first migration here, in one transaction.
 * @throws {ConfigError} if its tables and columns are not those that the replaced migrations make; nothing is changed
 */
export async function adopt(
  orm: MikroORM<AbstractSqlDriver>,
  first: string,
  config: DatabaseConfig,
): Promise<void> {
  await orm.em.fork().transactional(async (em) => {
    const run = (sql: string, values: unknown[] = []) =>
      em.getConnection().execute<{ place: string }[]>(sql, values, 'all', em.getTransactionContext());
    const found = await run(isPostgres(config) ? columns.postgres : columns.sqlite);
    const schema = found.map(({ place }) => place).toSorted();
    if (hash('sha256', schema.join('\n')) !== replacedSchema)
      throw new ConfigError([
        `DATABASE_URL names a database whose tables or columns are not those that ${lastReplaced(config)} leaves: somebody has changed them, so it cannot be updated. Nothing was changed`,
      ]);
    for (const statement of missing) await run(statement);
    await run('delete from mikro_orm_migrations');
    await run('insert into mikro_orm_migrations (name) values (?)', [first]);
  });
}
