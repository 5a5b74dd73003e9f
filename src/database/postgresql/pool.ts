import type { CompiledQuery } from 'kysely';
import { type ClientConfig, Pool, TypeOverrides, types } from 'pg';
import type { DatabaseConfig } from '../../config/config.ts';
import { toPgUrl } from '../../config/values/database-url.ts';
import type { ConnectionPool, Warn } from '../backend.ts';
import { Abandoned } from './abandoned.ts';
import { isAnswer, type PooledClient, PostgresClient, PostgresConnection } from './connection.ts';
import { isReadOnlySession, openSession } from './session.ts';
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

/**
 * The time after which a connection is looked at again before its next use, in milliseconds. After a switchover, the old
 * server may live on and take no writes: whoever only reads would go on reading there what has changed elsewhere.
 */
const lookEvery = 2000;

/**
 * The least age at which a connection to a server that takes no writes is replaced, in milliseconds. The address of the
 * server may lead to another one by now, or still to the same.
 */
const redialEvery = 1000;

/** The pool of connections to PostgreSQL, on top of `pg`'s pool. It opens no connection before the first use. */
export class PostgresPool {
  readonly statements: Statements;
  /** The longest wait for an answer before the connection is dropped, in milliseconds. */
  readonly patience: number;
  readonly #warn: Warn;
  readonly #pool: Pool;
  readonly #abandoned: Abandoned;
  /** The longest time that a look at a connection may take, in milliseconds. */
  readonly #patienceOfLook: number;
  /** The open connections that are newer than the last dropped one. */
  #trusted = new WeakSet<object>();
  /** When a connection last failed in a way that concerns its siblings, by `performance.now()`. */
  #doubtedAt = Number.NEGATIVE_INFINITY;
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
    this.#patienceOfLook = timeouts.connect;
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
      // The pool waits for it, and gives no connection to anybody if it fails.
      onConnect: (client) => this.#look(client as PostgresClient),
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
      const isCurrent = this.statements.isCurrent(client) && this.#trusted.has(client);
      if (isCurrent && (this.#isFresh(client) || (await this.#canStay(client)))) return client;
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

  /**
   * Learns from a failed statement. A server that became read-only, or that ends a connection, has something to tell of
   * the other connections too: each is looked at before its next use.
   */
  notice(client: PostgresClient, error: unknown): void {
    const isRefusedWrite = (error as { code?: unknown }).code === readOnly;
    if (isAnswer(error) && !isRefusedWrite) return;
    // A connection that is known to be read-only tells nothing new.
    if (!client.isReadOnly) this.#doubtedAt = performance.now();
    if (isRefusedWrite) client.isReadOnly = true;
  }

  async end(): Promise<void> {
    this.#abandoned.end();
    await this.#pool.end();
    for (const client of this.#open) client.leave();
  }

  /** Whether a connection can be used without a look at it. */
  #isFresh({ seenAt, isReadOnly }: PostgresClient): boolean {
    return !isReadOnly && seenAt > this.#doubtedAt && seenAt > performance.now() - lookEvery;
  }

  /** Looks at a connection; returns false if it must leave the pool. */
  async #canStay(client: PostgresClient): Promise<boolean> {
    const isOld = client.openedAt < performance.now() - redialEvery;
    if (client.isReadOnly) return !isOld;
    try {
      await this.#look(client);
    } catch {
      return false;
    }
    return !(client.isReadOnly && isOld);
  }

  /**
   * Sets the settings of a session, and notes whether its server takes writes.
   * @throws {Error} if the connection does not work
   */
  async #look(client: PostgresClient): Promise<void> {
    const deadline = performance.now() + this.#patienceOfLook;
    const { rows } = await new PostgresConnection(client as PooledClient, this).executeQuery({
      ...openSession,
      deadline,
    });
    client.isReadOnly = isReadOnlySession(rows);
    client.seenAt = performance.now();
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

/** The SQLSTATE of a write on a server that takes none. */
const readOnly = '25006';

/** Whether a pooler refuses the time-outs at the start of a connection. */
const isRefusal = ({ code, message }: Error & { readonly code?: unknown }): boolean =>
  // PgBouncer's message, which is always English: "unsupported startup parameter: statement_timeout".
  code === '08P01' && /startup parameter.*_timeout/.test(message);
