import { type ClientConfig, Pool, TypeOverrides, types } from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import { toPgUrl } from '../../config/values/database-url.ts';
import type { ConnectionPool, Warn } from '../backend.ts';
import { Abandoned } from './abandoned.ts';
import { type PooledClient, PostgresClient } from './connection.ts';
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
export class PostgresPool implements ConnectionPool {
  readonly statements: Statements;
  /** The longest wait for an answer before the connection is dropped, in milliseconds. */
  readonly patience: number;
  readonly #timeouts: ServerTimeouts;
  readonly #pool: Pool;
  readonly #abandoned: Abandoned;
  /** The open connections that are newer than the last dropped one. */
  #trusted = new WeakSet<object>();
  readonly #open = new Set<PostgresClient>();

  /**
   * Makes the pool. `pg` parses the URL itself, TLS included (`?sslmode=verify-full`).
   * @param warn receives one message for each missing ability of a pooler between this service and PostgreSQL
   */
  constructor({ url, poolSize, timeouts, statements }: DatabaseConfig, warn: Warn) {
    const serverTimeouts = new ServerTimeouts(timeouts, warn);
    this.#timeouts = serverTimeouts;
    this.statements = new Statements(statements, warn);
    this.patience = timeouts.statement + onTheWay;
    // After this time, PostgreSQL itself has ended the process.
    this.#abandoned = new Abandoned(this, timeouts.statement + timeouts.idleInTransaction);
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
          super({ ...config, ...serverTimeouts.parameters });
        }
      },
    });
    this.#pool.on('error', ignore);
    this.#pool.on('connect', (client) => {
      this.statements.admit(client);
      this.#admit(ours(client));
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

  /** Takes a connection out of the pool; the caller must release it. */
  async connect(): Promise<PooledClient> {
    for (;;) {
      const client = await this.#connect();
      if (this.statements.isCurrent(client) && this.#trusted.has(client)) return client;
      client.drop();
      client.release(true);
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

  #admit(client: PostgresClient): void {
    this.#trusted.add(client);
    this.#open.add(client);
    client.once('end', () => this.#open.delete(client));
  }

  async #connect(): Promise<PooledClient> {
    try {
      return ours(await this.#pool.connect());
    } catch (error) {
      if (!this.#timeouts.leaveOut(error as Error)) throw error;
      return ours(await this.#pool.connect());
    }
  }
}

/** Narrows the type: the pool's connections all have this class. */
function ours<Given extends object>(client: Given): Given & PostgresClient {
  if (client instanceof PostgresClient) return client;
  throw new TypeError('This is not a connection of this pool.');
}

const refusedWarning =
  'a pooler between Keyward and PostgreSQL refuses time-outs at the start of a connection: PostgreSQL is given none; ALTER ROLE … SET statement_timeout and idle_in_transaction_session_timeout for the user of DATABASE_URL';

/** The time-outs of a statement and of an idle transaction. Each connection tells them to PostgreSQL at its start. */
class ServerTimeouts {
  readonly #timeouts: DatabaseConfig['timeouts'];
  readonly #warn: Warn;
  #refused = false;

  /** @param warn receives at most one message, if a pooler refuses the time-outs */
  constructor(timeouts: DatabaseConfig['timeouts'], warn: Warn) {
    this.#timeouts = timeouts;
    this.#warn = warn;
  }

  /** The start parameters of a connection. */
  get parameters(): ClientConfig {
    if (this.#refused) return {};
    const { statement, idleInTransaction } = this.#timeouts;
    return { statement_timeout: statement, idle_in_transaction_session_timeout: idleInTransaction };
  }

  /** Omits the time-outs from now on if they caused this error; returns false for any other error. */
  leaveOut(error: Error & { readonly code?: unknown }): boolean {
    // PgBouncer's message, which is always English: "unsupported startup parameter: statement_timeout".
    const refused = error.code === '08P01' && /startup parameter.*_timeout/.test(error.message);
    if (refused && !this.#refused) this.#warn(refusedWarning);
    this.#refused ||= refused;
    return refused;
  }
}
