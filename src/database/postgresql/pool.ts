import { Client, type ClientConfig, Pool, type PoolClient, TypeOverrides, types } from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import type { ConnectionPool, Warn } from '../backend.ts';
import { ServerTimeouts } from './server-timeouts.ts';
import { Statements } from './statements.ts';

/** How the ORM wants dates and times: as they are written, to read them itself. */
function ormTypes(): TypeOverrides {
  const { DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL } = types.builtins;
  const overrides = new TypeOverrides();
  for (const type of [DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL]) overrides.setTypeParser(type, (text) => text);
  return overrides;
}

/** A failed connection is told to whoever uses it; an event that nobody hears would end the process. */
const ignore = () => {};

/** Connections to PostgreSQL: `pg`'s pool. It opens none until one is asked for. */
export class PostgresPool implements ConnectionPool {
  readonly statements: Statements;
  readonly #timeouts: ServerTimeouts;
  readonly #pool: Pool;

  /**
   * `pg` reads the URL itself, TLS included (`?sslmode=verify-full`).
   * @param warn told once of each thing that what lies between here and PostgreSQL cannot do
   */
  constructor({ url, poolSize, timeouts, statements }: DatabaseConfig, warn: Warn) {
    const serverTimeouts = new ServerTimeouts(timeouts, warn);
    this.#timeouts = serverTimeouts;
    this.statements = new Statements(statements, warn);
    this.#pool = new Pool({
      connectionString: url,
      application_name: 'keyward',
      keepAlive: true,
      max: poolSize,
      connectionTimeoutMillis: timeouts.connect,
      query_timeout: timeouts.statement + 1000,
      types: ormTypes(),
      Client: class extends Client {
        constructor(config?: ClientConfig) {
          super({ ...config, ...serverTimeouts.parameters });
        }
      },
    });
    this.#pool.on('error', ignore);
    this.#pool.on('connect', (client) => {
      client.on('error', ignore);
      this.statements.admit(client);
    });
  }

  get totalCount(): number {
    return this.#pool.totalCount;
  }

  get idleCount(): number {
    return this.#pool.idleCount;
  }

  get waitingCount(): number {
    return this.#pool.waitingCount;
  }

  get options() {
    return this.#pool.options;
  }

  /** A connection that nobody else has; it must be released. */
  async connect(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#connect();
      if (this.statements.isCurrent(client)) return client;
      client.release(true);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      if (!this.#timeouts.leaveOut(error as Error)) throw error;
      return await this.#pool.connect();
    }
  }
}
