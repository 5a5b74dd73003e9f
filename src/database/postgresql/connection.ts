import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { DatabaseError, type PoolClient } from 'pg';
import type { Statements } from './statements.ts';

/** Commands whose count of rows is of rows that they changed. */
const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A connection of the pool, as long as somebody has it. */
export class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #statements: Statements;
  /** Whether something that was sent has no answer yet: it may come, or be carried out, at any time. */
  #unanswered = false;

  constructor(client: PoolClient, statements: Statements) {
    this.#client = client;
    this.#statements = statements;
  }

  /** Whether it can take another statement. */
  get answers(): boolean {
    return !this.#unanswered;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const name = this.#statements.nameOf(query);
    try {
      return await this.#send(query, name);
    } catch (error) {
      const mended = name !== undefined && this.#statements.mend(error as Error);
      // A transaction has ended with the statement: only as a whole can it be run anew.
      if (!mended || this.#isInTransaction) throw error;
      return await this.#send(query, undefined);
    }
  }

  // biome-ignore lint/correctness/useYield: nothing here is read as a stream
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Results are not streamed.');
  }

  /**
   * Gives it back to the pool. It is closed where it has something yet to answer or a transaction open: a BEGIN that is
   * carried out late would swallow whatever the connection is used for next.
   */
  release(): void {
    this.#client.release(this.#unanswered || this.#isInTransaction);
  }

  get #isInTransaction(): boolean {
    return this.#client.getTransactionStatus() !== 'I';
  }

  async #send<Row>(
    { sql: text, parameters }: CompiledQuery,
    name: string | undefined,
  ): Promise<QueryResult<Row>> {
    try {
      const values = [...parameters];
      // Several statements in one text have several results, of which nobody wants a row.
      const { command, rowCount, rows = [] } = await this.#client.query({ name, text, values });
      return changes.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
    } catch (error) {
      if (!(error instanceof DatabaseError)) this.#unanswered = true;
      throw error;
    }
  }
}
