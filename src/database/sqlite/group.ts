import type { CompiledQuery, QueryResult } from 'kysely';

/** Transactions that share one commit. */
export class Group {
  readonly begunAt = performance.now();
  /** The number of members so far. */
  size = 0;
  /** The error of the whole group, after it has failed. */
  failure: { readonly error: unknown } | undefined;
  readonly #outcome = Promise.withResolvers<void>();
  /** Resolves when the whole group is committed; rejects if nothing of it is. */
  readonly outcome = this.#outcome.promise;
  readonly succeed = this.#outcome.resolve;

  constructor() {
    // Each member awaits the outcome, but the group may have no member left.
    this.outcome.catch(() => {});
  }

  fail(error: unknown): void {
    this.failure = { error };
    this.#outcome.reject(error);
  }
}

/** The part of the writer that a member uses. */
export interface MemberWriter {
  run<Row>(query: CompiledQuery): QueryResult<Row>;
  /** Ends the member's turn and keeps its changes. */
  keep(member: Member): void;
  /** Ends the member's turn and undoes its changes. */
  undo(member: Member): void;
}

/** A transaction in a group. Until the member leaves, no other transaction runs anything. */
export class Member {
  /**
   * Whether the member began the group while no other transaction waited. It then needs no savepoint, because
   * everything since BEGIN is its own.
   */
  readonly isAlone: boolean;
  readonly #writer: MemberWriter;
  readonly #group: Group;
  #left = false;
  #reason: unknown;
  /** The number of queries that the member has run. */
  queries = 0;

  constructor(writer: MemberWriter, group: Group, isAlone: boolean) {
    this.#writer = writer;
    this.#group = group;
    this.isAlone = isAlone;
    group.size += 1;
  }

  /**
   * Runs a query.
   * @throws SQLite's error, or the error of the whole group
   */
  run<Row>(query: CompiledQuery): QueryResult<Row> {
    this.#assertIn();
    this.queries += 1;
    return this.#writer.run(query);
  }

  /**
   * Keeps the member's changes. Resolves when the whole group is committed.
   * @throws the error of the whole group
   */
  async release(): Promise<void> {
    this.#assertIn();
    this.#left = true;
    this.#writer.keep(this);
    await this.#group.outcome;
  }

  /**
   * Undoes the member's changes, but no other member's; does nothing if the member has already ended. Resolves with
   * the whole group: after that, the other members' changes that this one saw are certain.
   * @throws the error of the whole group, if the group fails afterwards
   */
  async rollBack(): Promise<void> {
    if (this.#left || this.#group.failure) return;
    this.#undo();
    await this.#group.outcome;
  }

  /** Ends the member and undoes its changes. The member's next call throws the reason. */
  expel(reason: unknown): void {
    this.#reason = reason;
    this.#undo();
  }

  #undo(): void {
    this.#left = true;
    this.#writer.undo(this);
  }

  #assertIn(): void {
    if (this.#group.failure) throw this.#group.failure.error;
    if (this.#left) throw this.#reason ?? new Error('The transaction has ended');
  }
}

/**
 * Makes a watch that expels a member if it runs no query for too long. Such a member waits for something other than the
 * database, and all other members wait for it.
 * @param idle the longest time without a query, in milliseconds
 */
export function watchIdle(idle: number, endOfTurn: (run: () => void) => void) {
  let watched: Member | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Stops watching. */
  const end = (): void => {
    clearTimeout(timer);
    watched = undefined;
  };
  /** Watches a member from now on, instead of any other. */
  const begin = (member: Member): void => {
    const { queries } = member;
    end();
    watched = member;
    const look = () => {
      if (watched !== member) return;
      if (member.queries === queries) member.expel(new Error('The transaction stood idle for too long'));
      else begin(member);
    };
    // After a standstill of the whole process, the answer that the member waits for must come first. So the check
    // waits for the end of the turn.
    timer = setTimeout(() => endOfTurn(look), idle).unref();
  };
  return { begin, end };
}

/** Gives callers their turns, one after the other, in the order of their arrival. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is the caller's turn. */
  async take(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
  }

  /** Ends the current turn. */
  pass(): void {
    const next = this.#waiting.shift();
    this.#taken = next !== undefined;
    next?.();
  }
}
