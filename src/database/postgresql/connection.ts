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
import type { Question } from '../named-query.ts';
import type { Statements } from './statements.ts';

/** A connection to PostgreSQL that can be hung up at once. */
export class PostgresClient extends Client {
  /** The process of the server's that it leads to; a pooler says some other number. */
  declare readonly processID: number;
  readonly #socket: Socket;
  #isBroken = false;

  constructor(config?: ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
    // Also an event that nobody hears would end the process: whoever uses the connection is told anyway.
    this.on('error', () => {
      this.#isBroken = true;
    });
  }

  /** Whether what is asked is still sent. */
  get isOpen(): boolean {
    return !this.#isBroken && this.#socket.writable;
  }

  /**
   * Hangs up. What was asked fails, and of what the system still holds back nothing is sent: closing the socket in the
   * usual way would send it whenever the network is there again.
   */
  drop(): void {
    this.#isBroken = true;
    // A socket of a file has no reset, and holds nothing back.
    if (this.host.startsWith('/')) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  /** Lets the process end, even if the other side never confirms the end of the connection. */
  leave(): void {
    this.#socket.unref();
  }
}

/** A connection that somebody has from the pool; it must be released. */
export type PooledClient = PostgresClient & Pick<PoolClient, 'release'>;

/** Commands whose count of rows is of rows that they changed. */
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Several statements in one text have several results, of which nobody wants a row. */
const toResult = <Row>({ command, rowCount, rows = [] }: PgResult): QueryResult<Row> =>
  changes.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };

/** A transaction that PostgreSQL has ended by itself, after a statement whose failure nobody has told. */
const rolledBack = () =>
  Object.assign(new Error('the transaction is rolled back: one of its statements failed'), { code: '25P02' });

/** What PostgreSQL says at its end, or that of a connection: it may have carried out what came before. */
const lastWords = /^(08|40003|57P0)/;

/** Whether an error is PostgreSQL's answer to what was asked. */
const isAnswer = (error: unknown): boolean =>
  error instanceof DatabaseError && !lastWords.test(error.code ?? '');

/** What the connections of a pool share. */
export interface Shared {
  readonly statements: Statements;
  /** How long an answer is waited for, in milliseconds. */
  readonly patience: number;
  /** Hangs up on a connection that does not answer. */
  drop(client: PostgresClient): void;
}

/** A connection of the pool, as long as somebody has it. */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: PooledClient;
  readonly #pool: Shared;
  /** That of the last query. */
  #deadline = Number.POSITIVE_INFINITY;
  /** The answer to COMMIT, where it was sent with the last statement. */
  #committed: Promise<PgResult> | undefined;

  constructor(client: PooledClient, pool: Shared) {
    this.#client = client;
    this.#pool = pool;
  }

  /** @throws {OutcomeUnknownError} where COMMIT was sent with it, and neither was answered */
  async executeQuery<Row>(query: Question): Promise<QueryResult<Row>> {
    const { statements } = this.#pool;
    const name = statements.nameOf(query);
    this.#deadline = query.deadline ?? Number.POSITIVE_INFINITY;
    try {
      return toResult(await this.#send(query, name));
    } catch (error) {
      const mended = name !== undefined && statements.mend(error as Error);
      // A transaction has ended with the statement: only as a whole can it be run anew. Where COMMIT went along, its
      // answer may be here as well, and the connection is in no transaction any more.
      if (!mended || query.last || this.#isInTransaction) throw error;
      return toResult(await this.#send(query, undefined));
    }
  }

  // biome-ignore lint/correctness/useYield: nothing here is read as a stream
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Results are not streamed.');
  }

  /**
   * @throws also where PostgreSQL has answered COMMIT with ROLLBACK
   * @throws {OutcomeUnknownError} where it was sent and not answered
   */
  async commit(): Promise<void> {
    const { command } = await (this.#committed ?? this.#askToCommit());
    if (command === 'ROLLBACK') throw rolledBack();
  }

  /** Never fails: it would be told in place of why the transaction failed. What is still open, ends with the connection. */
  async rollback(): Promise<void> {
    // After a statement that failed, COMMIT has rolled back.
    const rolled = this.#committed ?? (this.#client.isOpen ? this.#ask({ text: 'rollback' }) : undefined);
    await rolled?.catch(() => {});
  }

  /** Gives it back to the pool. It is closed where a transaction is open: that would swallow whatever comes next. */
  release(): void {
    this.#client.release(!this.#client.isOpen || this.#isInTransaction);
  }

  get #isInTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  #send({ sql: text, parameters, last }: Question, name: string | undefined): Promise<PgResult> {
    this.#assertInTime();
    const query = { name, text, values: [...parameters] };
    return last ? this.#askAndCommit(query) : this.#ask(query, this.#deadline);
  }

  /** Sends COMMIT right behind a statement: where that fails, PostgreSQL rolls back. */
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

  /** @throws where nothing would be sent any more, or nobody waits for the answer */
  #assertInTime(): void {
    if (!this.#client.isOpen) throw new Error('the connection to PostgreSQL has ended');
    if (performance.now() >= this.#deadline) throw new Error('the time for the answer is over');
  }

  /** Asks, and hangs up where the answer does not come in time: it could be carried out at any time later. */
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
      throw isLate ? new Error('PostgreSQL has not answered in time', { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
