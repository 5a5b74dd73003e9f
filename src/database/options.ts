import type { Options } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import type { DatabaseConfig } from '../config/config.ts';
import type { Backend, Warn } from './backend.ts';
import { entities } from './tables.ts';

/** Whether a database is PostgreSQL; it is SQLite otherwise. */
export const isPostgres = ({ url }: Pick<DatabaseConfig, 'url'>): boolean => !url.startsWith('sqlite:');

/** What the sort of database brings that is configured. Each is loaded where it is used: a start is quicker without the other. */
export const backendOf = async (config: DatabaseConfig, warn: Warn = () => {}): Promise<Backend> =>
  isPostgres(config)
    ? (await import('./postgresql/options.ts')).postgresOptions(config, warn)
    : (await import('./sqlite/options.ts')).sqliteOptions(config, warn);

/** The ORM's options, for the service and for the ORM's command line alike. */
export const databaseOptions = ({ options }: Backend): Partial<Options<AbstractSqlDriver>> => ({
  ...options,
  entities,
  migrations: { snapshotOnMigrate: false, silent: true },
  logger: () => {},
});
