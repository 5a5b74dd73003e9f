import { PostgreSqlDriver } from '@mikro-orm/postgresql';
import { PostgresDialect as KyselyDialect } from 'kysely';
import type { DatabaseConfig } from '../../config/config.ts';
import type { Backend, Warn } from '../backend.ts';
import { checkServer } from './check-server.ts';
import { PostgresDriver } from './driver.ts';
import { PostgresPool } from './pool.ts';
import { refuseServer } from './refuse-server.ts';

/** Kysely's dialect of PostgreSQL, on a pool of ours. */
export class PostgresDialect extends KyselyDialect {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new PostgresDriver(this.#pool);
  }
}

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
