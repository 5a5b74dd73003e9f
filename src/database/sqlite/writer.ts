import { setImmediate } from 'node:timers';
import type { Database } from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { Group } from './group.ts';
import { Member, type MemberWriter } from './member.ts';
import { Statements } from './statements.ts';
import { whenFree } from './when-free.ts';

/** A group is committed before its turn ends where it has so many members, or is so old, in milliseconds. */
const mostMembers = 64;
const oldest = 10;

/** What of the writer may be set. */
export interface WriterOptions {
  /** How long a member may run nothing, in milliseconds, before it is rolled back: all others wait for it. */
  readonly idle: number;
  /** Runs something at the end of this turn of the event loop. */
  readonly endOfTurn?: (run: () => void) => void;
}

/**
 * The connection that changes a database, and the transactions that wait for it.
 *
 * A commit is nearly all that a write costs, so transactions that come together share one: they are a **group**. The
 * first begins it (`BEGIN IMMEDIATE`); each **member** runs in a savepoint, one after the other; the group is
 * committed at the end of the turn of the event loop, or as soon as it is large or old. Nobody is answered before. A
 * member that fails is rolled back alone. Where COMMIT fails, or SQLite itself has ended the transaction (a disk that is
 * full), the whole group fails.
 */
export class Writer implements MemberWriter {
  readonly #connection: Database;
  readonly #statements: Statements;
  readonly #idle: number;
  readonly #endOfTurn: (run: () => void) => void;
  /** Those who wait for their turn. */
  readonly #waiting: (() => void)[] = [];
  /** Whether somebody has the turn: a member, one who is about to be, or nobody until this turn of the event loop ends. */
  #taken = false;
  #group: Group | undefined;
  #member: Member | undefined;
  #watched = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(connection: Database, { idle, endOfTurn = setImmediate }: WriterOptions) {
    this.#connection = connection;
    this.#statements = new Statements(connection);
    this.#idle = idle;
    this.#endOfTurn = endOfTurn;
  }

  /**
   * Begins a transaction, when those before it have left.
   * @throws what SQLite says; `SQLITE_BUSY` where another process has held its lock for five seconds
   */
  async enter(): Promise<Member> {
    const since = performance.now();
    await this.#turn();
    try {
      return await whenFree(() => this.#join(), since);
    } catch (error) {
      this.#fail(error);
      this.#pass();
      throw error;
    }
  }

  /** Runs a query that is a transaction of its own. */
  async runAsMember<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const member = await this.enter();
    try {
      const result = member.run<Row>(query);
      await member.release();
      return result;
    } catch (error) {
      await member.rollBack();
      throw error;
    }
  }

  /** Runs a query that changes nothing when the group that is open has ended. */
  async runBetween<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    while (this.#group) await this.#group.outcome.catch(() => {});
    const result = this.#statements.run<Row>(query);
    if (!this.#connection.inTransaction) return result;
    this.#execute('rollback');
    throw new Error('A transaction is begun by Kysely alone, not by a statement');
  }

  /** Commits what has been done, where nobody is about to do more. */
  flush(): void {
    if (this.#group && !this.#member) this.#commit();
  }

  run<Row>(query: CompiledQuery): QueryResult<Row> {
    try {
      return this.#statements.run(query);
    } catch (error) {
      if (!this.#connection.inTransaction) {
        this.#fail(error);
        this.#next();
      }
      throw error;
    }
  }

  leave(statements: readonly string[]): void {
    try {
      for (const statement of statements) this.#execute(statement);
    } catch (error) {
      this.#fail(error);
    }
    this.#next();
  }

  /** Resolves when it is somebody's turn. */
  async #turn(): Promise<void> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
  }

  /** Passes the turn on. */
  #pass(): void {
    const next = this.#waiting.shift();
    this.#taken = next !== undefined;
    next?.();
  }

  #join(): Member {
    this.#group ??= this.#begin();
    this.#execute('savepoint member');
    this.#group.size += 1;
    this.#member = new Member(this, this.#group);
    this.#watch();
    return this.#member;
  }

  #begin(): Group {
    // A ROLLBACK may have failed.
    if (this.#connection.inTransaction) this.#execute('rollback');
    this.#execute('begin immediate');
    return new Group();
  }

  /** Goes on when a member has left. */
  #next(): void {
    clearTimeout(this.#idleTimer);
    this.#member = undefined;
    if (this.#group && this.#isFull(this.#group)) this.#commit();
    if (this.#group) {
      this.#watch();
      this.#pass();
    } else {
      // Others have this turn: a group is answered, and new requests are read, before the next one begins.
      this.#endOfTurn(() => this.#pass());
    }
  }

  #isFull = ({ size, begunAt }: Group): boolean =>
    size >= mostMembers || performance.now() - begunAt >= oldest;

  /** Sees to it that the group is looked at when this turn ends. */
  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#endOfTurn(() => {
      this.#watched = false;
      if (this.#member) this.#watchIdle(this.#member);
      else if (this.#group) this.#commit();
    });
  }

  /** A member that outlives the turn waits for something that is not the database: it must not do so for ever. */
  #watchIdle(member: Member): void {
    const { queries } = member;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      // Where the whole process stood still, what the member waits for comes first.
      this.#endOfTurn(() => {
        if (this.#member !== member) return;
        if (member.queries === queries) member.expel(new Error('The transaction stood idle for too long'));
        else this.#watchIdle(member);
      });
    }, this.#idle).unref();
  }

  #commit(): void {
    try {
      this.#execute('commit');
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#group?.succeed();
    this.#group = undefined;
  }

  /** Undoes the whole group. */
  #fail(error: unknown): void {
    try {
      if (this.#connection.inTransaction) this.#execute('rollback');
    } catch {
      // Tried again before the next BEGIN. What is told is why the group has failed.
    }
    this.#group?.fail(error);
    this.#group = undefined;
  }

  #execute(statement: string): void {
    this.#statements.prepare(statement).run([]);
  }
}
