import { type ClientConfig, Pool, TypeOverrides, types } from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import type { ConnectionPool, Warn } from '../backend.ts';
import { Abandoned } from './abandoned.ts';
import { type PooledClient, PostgresClient } from './connection.ts';
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

/** How much longer than PostgreSQL's own time-out of a statement its answer is waited for, in milliseconds. */
const onTheWay = 1000;

/** After how long without a word the other side is asked whether it is there, in milliseconds: a migration may take long. */
const keepAlive = 10_000;

/** Connections to PostgreSQL: `pg`'s pool. It opens none until one is asked for. */
export class PostgresPool implements ConnectionPool {
  readonly statements: Statements;
  /** How long an answer is waited for before its connection is dropped, in milliseconds. */
  readonly patience: number;
  readonly #timeouts: ServerTimeouts;
  readonly #pool: Pool;
  readonly #abandoned: Abandoned;
  /** Those that are open and were made since one was dropped. */
  #trusted = new WeakSet<object>();
  readonly #open = new Set<PostgresClient>();

  /**
   * `pg` reads the URL itself, TLS included (`?sslmode=verify-full`).
   * @param warn told once of each thing that what lies between here and PostgreSQL cannot do
   */
  constructor({ url, poolSize, timeouts, statements }: DatabaseConfig, warn: Warn) {
    const serverTimeouts = new ServerTimeouts(timeouts, warn);
    this.#timeouts = serverTimeouts;
    this.statements = new Statements(statements, warn);
    this.patience = timeouts.statement + onTheWay;
    // By then PostgreSQL has ended them by itself.
    this.#abandoned = new Abandoned(this, timeouts.statement + timeouts.idleInTransaction);
    this.#pool = new Pool({
      connectionString: url,
      application_name: 'keyward',
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAlive,
      // What is sent in one go is not held back until there is an answer: the last statement and COMMIT.
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

  /** A connection that nobody else has; it must be released. */
  async connect(): Promise<PooledClient> {
    for (;;) {
      const client = await this.#connect();
      if (this.statements.isCurrent(client) && this.#trusted.has(client)) return client;
      client.drop();
      client.release(true);
    }
  }

  /**
   * Hangs up on a connection that does not answer. Those that nobody uses now are closed before they are used again:
   * they lead to the same place. What PostgreSQL still does on it, is ended there.
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

/** The pool hands out what it has made. */
function ours<Given extends object>(client: Given): Given & PostgresClient {
  if (client instanceof PostgresClient) return client;
  throw new TypeError('This is not a connection of this pool.');
}

const refusedWarning =
  'a pooler between Keyward and PostgreSQL refuses time-outs at the start of a connection: PostgreSQL is given none; ALTER ROLE … SET statement_timeout and idle_in_transaction_session_timeout for the user of DATABASE_URL';

/** How long a statement and an idle transaction may take, told to PostgreSQL as a connection starts. */
class ServerTimeouts {
  readonly #timeouts: DatabaseConfig['timeouts'];
  readonly #warn: Warn;
  #refused = false;

  /** @param warn told at most once, where they are refused */
  constructor(timeouts: DatabaseConfig['timeouts'], warn: Warn) {
    this.#timeouts = timeouts;
    this.#warn = warn;
  }

  /** What a connection says of them as it starts. */
  get parameters(): ClientConfig {
    if (this.#refused) return {};
    const { statement, idleInTransaction } = this.#timeouts;
    return { statement_timeout: statement, idle_in_transaction_session_timeout: idleInTransaction };
  }

  /** Leaves them out from now on where they are why a connection was refused; false for any other error. */
  leaveOut(error: Error & { readonly code?: unknown }): boolean {
    // The words of PgBouncer, which knows no other language: "unsupported startup parameter: statement_timeout".
    const refused = error.code === '08P01' && /startup parameter.*_timeout/.test(error.message);
    if (refused && !this.#refused) this.#warn(refusedWarning);
    this.#refused ||= refused;
    return refused;
  }
}
