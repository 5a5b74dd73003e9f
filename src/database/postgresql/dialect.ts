import { PostgresDialect as KyselyDialect } from 'kysely';
import { PostgresDriver } from './driver.ts';
import type { PostgresPool } from './pool.ts';

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
