import type { CompiledQuery } from 'kysely';
import { type ClientConfig, Pool, TypeOverrides, types } from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import { toPgUrl } from '../../config/values/database-url.ts';
import type { ConnectionPool, Warn } from '../backend.ts';
import { Abandoned } from './abandoned.ts';
import { type PooledClient, PostgresClient, PostgresConnection } from './connection.ts';
import { Statements } from './statements.ts';

/** The type parsers that the ORM expects: dates and times stay text, because the ORM parses them itself. */
function ormTypes(): TypeOverrides {
  const { DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL } = types.builtins;
  const overrides = new TypeOverrides();
  for (const type of [DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL]) overrides.setTypeParser(type, (text) => text);
  return overrides;
}

/**
 * Ignores an error of a connection, because its user learns of the error anyway; without a listener, the event would
 * end the process.
 */
const ignore = () => {};

/** The wait for an answer beyond PostgreSQL's own time-out of a statement, in milliseconds. */
const onTheWay = 1000;

/**
 * The silence after which TCP checks whether the server is still there, in milliseconds. A migration may take long.
 */
const keepAlive = 10_000;

/** The pool of connections to PostgreSQL, on top of `pg`'s pool. It opens no connection before the first use. */
export class PostgresPool {
  readonly statements: Statements;
  /** The longest wait for an answer before the connection is dropped, in milliseconds. */
  readonly patience: number;
  readonly #warn: Warn;
  readonly #pool: Pool;
  readonly #abandoned: Abandoned;
  /** The open connections that are newer than the last dropped one. */
  #trusted = new WeakSet<object>();
  readonly #open = new Set<PostgresClient>();
  /** The time-outs that each connection tells to PostgreSQL at its start; undefined after a pooler refused them. */
  #serverTimeouts: ClientConfig | undefined;

  /**
   * Makes the pool. `pg` parses the URL itself, TLS included (`?sslmode=verify-full`).
   * @param warn receives one message for each missing ability of a pooler between this service and PostgreSQL
   */
  constructor({ url, poolSize, timeouts, statements }: DatabaseConfig, warn: Warn) {
    const { statement, idleInTransaction } = timeouts;
    this.#serverTimeouts = {
      statement_timeout: statement,
      idle_in_transaction_session_timeout: idleInTransaction,
    };
    const serverTimeouts = () => this.#serverTimeouts;
    this.#warn = warn;
    this.statements = new Statements(statements, warn);
    this.patience = statement + onTheWay;
    // After this time, PostgreSQL itself has ended the process.
    this.#abandoned = new Abandoned((query) => this.query(query), statement + idleInTransaction);
    this.#pool = new Pool({
      connectionString: toPgUrl(url),
      application_name: 'keyward',
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAlive,
      // Without this, `pg` would hold COMMIT back until the answer to the last statement.
      pipeline: true,
      max: poolSize,
      connectionTimeoutMillis: timeouts.connect,
      types: ormTypes(),
      Client: class extends PostgresClient {
        constructor(config?: ClientConfig) {
          super({ ...config, ...serverTimeouts() });
        }
      },
    });
    this.#pool.on('error', ignore);
    this.#pool.on('connect', (client) => {
      const ours = client as PooledClient;
      this.statements.admit(ours);
      this.#trusted.add(ours);
      this.#open.add(ours);
      ours.once('end', () => this.#open.delete(ours));
    });
  }

  /** The numbers of connections. */
  get figures(): ConnectionPool {
    return this.#pool;
  }

  get options() {
    return this.#pool.options;
  }

  /** Takes a connection out of the pool; the caller must release it. */
  async connect(): Promise<PooledClient> {
    for (;;) {
      const client = await this.#connect();
      if (this.statements.isCurrent(client) && this.#trusted.has(client)) return client;
      client.drop();
      client.release(true);
    }
  }

  /** Runs a query on a connection of the pool; returns its rows. */
  async query<Row>(query: CompiledQuery): Promise<Row[]> {
    const connection = new PostgresConnection(await this.connect(), this);
    try {
      return (await connection.executeQuery<Row>(query)).rows;
    } finally {
      connection.release();
    }
  }

  /**
   * Drops a connection that does not answer, and ends its server process. The pool replaces all idle connections
   * before their next use, because they lead to the same server.
   */
  drop(client: PostgresClient): void {
    client.drop();
    this.#trusted = new WeakSet();
    this.#abandoned.add(client.processID);
  }

  async end(): Promise<void> {
    this.#abandoned.end();
    await this.#pool.end();
    for (const client of this.#open) client.leave();
  }

  async #connect(): Promise<PooledClient> {
    try {
      return (await this.#pool.connect()) as PooledClient;
    } catch (error) {
      if (!isRefusal(error as Error)) throw error;
      if (this.#serverTimeouts) this.#warn(refusedWarning);
      this.#serverTimeouts = undefined;
      return (await this.#pool.connect()) as PooledClient;
    }
  }
}

const refusedWarning =
  'a pooler between Keyward and PostgreSQL refuses time-outs at the start of a connection: PostgreSQL is given none; ALTER ROLE … SET statement_timeout and idle_in_transaction_session_timeout for the user of DATABASE_URL';

/** Whether a pooler refuses the time-outs at the start of a connection. */
const isRefusal = ({ code, message }: Error & { readonly code?: unknown }): boolean =>
  // PgBouncer's message, which is always English: "unsupported startup parameter: statement_timeout".
  code === '08P01' && /startup parameter.*_timeout/.test(message);
