import type { CompiledQuery, QueryResult } from 'kysely';
import type { Group } from './group.ts';

/** What a member asks of the writer that it belongs to. */
export interface MemberWriter {
  run<Row>(query: CompiledQuery): QueryResult<Row>;
  /** Ends the member's turn with these statements. */
  leave(statements: readonly string[]): void;
}

/** A transaction in a group: a savepoint, from which on nobody else runs anything until it is left. */
export class Member {
  readonly #writer: MemberWriter;
  readonly #group: Group;
  #left = false;
  #reason: unknown;
  /** How many queries it has run. */
  queries = 0;

  constructor(writer: MemberWriter, group: Group) {
    this.#writer = writer;
    this.#group = group;
  }

  /** @throws what SQLite says, or what the group has failed for */
  run<Row>(query: CompiledQuery): QueryResult<Row> {
    this.#assertIn();
    this.queries += 1;
    return this.#writer.run(query);
  }

  /**
   * Keeps what it has done. Resolves when it is committed, with the whole group.
   * @throws what the group has failed for
   */
  async release(): Promise<void> {
    this.#assertIn();
    this.#leave('release member');
    await this.#group.outcome;
  }

  /**
   * Undoes what it has done, and nothing of the others; one that has ended otherwise is left alone. Resolves with the
   * whole group: what the member saw of the others' work is certain by then.
   * @throws what the group has failed for since
   */
  async rollBack(): Promise<void> {
    if (this.#left || this.#group.failure) return;
    this.#undo();
    await this.#group.outcome;
  }

  /** Ends it for a reason, which it is told at whatever it does next. */
  expel(reason: unknown): void {
    this.#reason = reason;
    this.#undo();
  }

  #undo(): void {
    this.#leave('rollback to member', 'release member');
  }

  #leave(...statements: string[]): void {
    this.#left = true;
    this.#writer.leave(statements);
  }

  #assertIn(): void {
    if (this.#group.failure) throw this.#group.failure.error;
    if (this.#left) throw this.#reason ?? new Error('The transaction has ended');
  }
}
