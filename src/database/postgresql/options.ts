import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import type { DatabaseConfig } from '../../config/config.ts';
import type { Backend, Warn } from '../backend.ts';
import { checkServer } from './check-server.ts';
import { PostgresDialect } from './dialect.ts';
import { PostgresPool } from './pool.ts';
import { refuseServer } from './refuse-server.ts';

/** PostgreSQL, by a pool of connections. */
export function postgresOptions(config: DatabaseConfig, warn: Warn): Backend {
  const pool = new PostgresPool(config, warn);
  return {
    options: {
      driver: PostgreSqlDriver,
      clientUrl: config.url,
      driverOptions: new PostgresDialect(pool),
    },
    pool,
    check: () => checkServer(pool),
    refuse: refuseServer,
  };
}
