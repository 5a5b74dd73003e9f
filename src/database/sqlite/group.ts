import type { CompiledQuery, QueryResult } from 'kysely';

/** Transactions that share one commit. */
export class Group {
  readonly begunAt = performance.now();
  /** How many have taken part so far. */
  size = 0;
  /** Why it failed as a whole, once it has. */
  failure: { readonly error: unknown } | undefined;
  readonly #outcome = Promise.withResolvers<void>();

  constructor() {
    // Whoever takes part asks for the outcome; it may be that nobody is left.
    this.#outcome.promise.catch(() => {});
  }

  /** Resolves when all of it is committed; rejects where none of it is. */
  get outcome(): Promise<void> {
    return this.#outcome.promise;
  }

  succeed(): void {
    this.#outcome.resolve();
  }

  fail(error: unknown): void {
    this.failure = { error };
    this.#outcome.reject(error);
  }
}

/** What a member asks of the writer that it belongs to. */
export interface MemberWriter {
  run<Row>(query: CompiledQuery): QueryResult<Row>;
  /** Ends the member's turn, and keeps what it has done. */
  keep(member: Member): void;
  /** Ends the member's turn, and undoes what it has done. */
  undo(member: Member): void;
}

/** A transaction in a group: no other runs anything until it is left. */
export class Member {
  /** Whether it began the group while nobody waited: it has no savepoint, for all since BEGIN is its own. */
  readonly isAlone: boolean;
  readonly #writer: MemberWriter;
  readonly #group: Group;
  #left = false;
  #reason: unknown;
  /** How many queries it has run. */
  queries = 0;

  constructor(writer: MemberWriter, group: Group, isAlone: boolean) {
    this.#writer = writer;
    this.#group = group;
    this.isAlone = isAlone;
    group.size += 1;
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
    this.#left = true;
    this.#writer.keep(this);
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
    this.#left = true;
    this.#writer.undo(this);
  }

  #assertIn(): void {
    if (this.#group.failure) throw this.#group.failure.error;
    if (this.#left) throw this.#reason ?? new Error('The transaction has ended');
  }
}

/** Expels a member that runs nothing for too long: it waits for something that is not the database, and all others for it. */
export class IdleWatch {
  readonly #idle: number;
  readonly #endOfTurn: (run: () => void) => void;
  #watched: Member | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param idle how long a member may run nothing, in milliseconds */
  constructor(idle: number, endOfTurn: (run: () => void) => void) {
    this.#idle = idle;
    this.#endOfTurn = endOfTurn;
  }

  /** Watches a member from now on, in place of any other. */
  begin(member: Member): void {
    const { queries } = member;
    this.end();
    this.#watched = member;
    // Where the whole process stood still, what the member waits for comes first: hence the end of the turn.
    const look = () => this.#endOfTurn(() => this.#look(member, queries));
    this.#timer = setTimeout(look, this.#idle).unref();
  }

  /** Watches nobody. */
  end(): void {
    clearTimeout(this.#timer);
    this.#watched = undefined;
  }

  #look(member: Member, queries: number): void {
    if (this.#watched !== member) return;
    if (member.queries === queries) member.expel(new Error('The transaction stood idle for too long'));
    else this.begin(member);
  }
}

/** Lets one after the other do something, in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** How many wait for theirs. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is the caller's turn. */
  async take(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
  }

  /** Ends the turn of whoever has it. */
  pass(): void {
    const next = this.#waiting.shift();
    this.#taken = next !== undefined;
    next?.();
  }
}
