import { Socket } from 'node:net';
import type { DatabaseConnection, QueryResult } from 'kysely';
import {
  Client,
  type ClientConfig,
  DatabaseError,
  type QueryResult as PgResult,
  type PoolClient,
  type QueryConfig,
} from 'pg';
import { OutcomeUnknownError } from '../failures.ts';
import type { Statement } from '../named-query.ts';
import type { Statements } from './statements.ts';

/** A connection to PostgreSQL that this process can drop at once. */
export class PostgresClient extends Client {
  /** The number of the connection's server process; behind a pooler, some other number. */
  declare readonly processID: number;
  /** When the connection was opened, by `performance.now()`. */
  readonly openedAt = performance.now();
  /** When the connection was last seen to work, by `performance.now()`. */
  seenAt = Number.NEGATIVE_INFINITY;
  /** Whether the server takes no writes, as far as this connection has seen. */
  isReadOnly = false;
  readonly #socket: Socket;
  #isBroken = false;

  constructor(config?: ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    // An `error` event without a listener would end the process. The caller learns of the error from its query
    // anyway.
    this.on('error', () => {
      this.#isBroken = true;
    });
  }

  /** Whether the connection still sends queries. */
  get isOpen(): boolean {
    return !this.#isBroken && this.#socket.writable;
  }

  /**
   * Drops the connection. Its queries fail, and the operating system sends none of the data that it still buffers. An
   * ordinary close of the socket would send that data whenever the network returns.
   */
  drop(): void {
    this.#isBroken = true;
    // A Unix domain socket knows no reset, and buffers nothing.
    if (this.host.startsWith('/')) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  /** Lets this process end even if the server never confirms the end of the connection. */
  leave(): void {
    this.#socket.unref();
  }
}

/** A connection in use from the pool; its user must release it. */
export type PooledClient = PostgresClient & Pick<PoolClient, 'release'>;

/** The commands whose row count is the number of changed rows. */
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Converts a result of `pg`. A text with several statements has several results without rows that anyone reads. */
const toResult = <Row>({ command, rowCount, rows = [] }: PgResult): QueryResult<Row> =>
  changes.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };

/**
 * The error for a transaction that PostgreSQL rolled back after the failure of a statement, if nothing has reported
 * that failure.
 */
const rolledBack = () =>
  Object.assign(new Error('the transaction is rolled back: one of its statements failed'), { code: '25P02' });

/** The SQLSTATEs of the end of the server or of a connection: PostgreSQL may have executed the statements before. */
const lastWords = /^(08|40003|57P0)/;

/** Whether an error is PostgreSQL's answer to the statement. Any other error is the end of the connection. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof DatabaseError && !lastWords.test(error.code ?? '');

/** The least wait for an answer that says something of the server, in milliseconds. */
const leastWait = 1000;

/** The parts that the connections of a pool share. */
export interface Shared {
  readonly statements: Statements;
  /** The longest wait for an answer, in milliseconds. */
  readonly patience: number;
  /** Drops a connection that does not answer. */
  drop(client: PostgresClient): void;
  /** Receives each failure of a connection's statements. */
  notice(client: PostgresClient, error: unknown): void;
}

/** A connection of the pool while it is in use. */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: PooledClient;
  readonly #pool: Shared;
  /** The deadline of the last query, by `performance.now()`. */
  #deadline = Number.POSITIVE_INFINITY;
  /** The answer to COMMIT, if COMMIT went along with the last statement. */
  #committed: Promise<PgResult> | undefined;

  constructor(client: PooledClient, pool: Shared) {
    this.#client = client;
    this.#pool = pool;
  }

  /**
   * Runs a query.
   * @throws {OutcomeUnknownError} if COMMIT went along with the query, and PostgreSQL answered neither
   */
  async executeQuery<Row>(query: Statement): Promise<QueryResult<Row>> {
    const { statements } = this.#pool;
    const name = statements.nameOf(query);
    this.#deadline = query.deadline ?? Number.POSITIVE_INFINITY;
    try {
      return toResult(await this.#send(query, name));
    } catch (error) {
      const mended = name !== undefined && statements.mend(error as Error);
      // The failed statement ended its transaction, so only the whole transaction can run again. If COMMIT went
      // along, PostgreSQL may have answered it too, and the connection is in no transaction any more.
      if (!mended || query.last || this.#isInTransaction) throw error;
      return toResult(await this.#send(query, undefined));
    }
  }

  // biome-ignore lint/correctness/useYield: nothing here is read as a stream
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Results are not streamed.');
  }

  /**
   * Commits the transaction.
   * @throws {Error} also if PostgreSQL answered COMMIT with ROLLBACK
   * @throws {OutcomeUnknownError} if COMMIT was sent and not answered
   */
  async commit(): Promise<void> {
    const { command } = await (this.#committed ?? this.#askToCommit());
    if (command === 'ROLLBACK') throw rolledBack();
  }

  /**
   * Rolls the transaction back. Never throws, because that error would hide the reason why the transaction failed. If
   * ROLLBACK fails, the transaction ends with the connection.
   */
  async rollback(): Promise<void> {
    // COMMIT after a failed statement has already rolled back.
    const rolled = this.#committed ?? (this.#client.isOpen ? this.#ask({ text: 'rollback' }) : undefined);
    await rolled?.catch(() => {});
  }

  /**
   * Returns the connection to the pool. The pool closes it if a transaction is still open, because the next user's
   * statements would become part of that transaction.
   */
  release(): void {
    this.#client.release(!this.#client.isOpen || this.#isInTransaction);
  }

  get #isInTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  #send({ sql: text, parameters, last }: Statement, name: string | undefined): Promise<PgResult> {
    this.#assertInTime();
    const query = { name, text, values: [...parameters] };
    return last ? this.#askAndCommit(query) : this.#ask(query, this.#deadline);
  }

  /** Sends COMMIT directly after a statement. If the statement fails, PostgreSQL rolls back instead. */
  async #askAndCommit(query: QueryConfig): Promise<PgResult> {
    const answer = this.#ask(query, this.#deadline);
    this.#committed = this.#askToCommit();
    this.#committed.catch(() => {});
    return answer.catch((error: unknown) => {
      throw error instanceof DatabaseError ? error : new OutcomeUnknownError(error);
    });
  }

  async #askToCommit(): Promise<PgResult> {
    this.#assertInTime();
    return this.#ask({ text: 'commit' }, this.#deadline).catch((error: unknown) => {
      throw isAnswer(error) ? error : new OutcomeUnknownError(error);
    });
  }

  /**
   * Checks that a query can still be sent.
   * @throws {Error} if the connection has ended or the deadline has passed
   */
  #assertInTime(): void {
    if (!this.#client.isOpen) throw new Error('the connection to PostgreSQL has ended');
    if (performance.now() >= this.#deadline) throw new Error('the time for the answer is over');
  }

  /**
   * Sends a query, and drops the connection if the answer is late: PostgreSQL could execute the query at any later
   * time.
   */
  async #ask(query: QueryConfig, deadline = Number.POSITIVE_INFINITY): Promise<PgResult> {
    let isLate = false;
    const hangUp = () => {
      isLate = true;
      this.#pool.drop(this.#client);
    };
    const time = Math.min(this.#pool.patience, deadline - performance.now());
    const timer = setTimeout(hangUp, time);
    try {
      return await this.#client.query(query);
    } catch (error) {
      this.#pool.notice(this.#client, error);
      if (!isLate) throw error;
      // Whoever had little time left has learnt nothing of the server.
      const what = time < leastWait ? 'before the deadline' : 'in time';
      throw new Error(`PostgreSQL has not answered ${what}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}
