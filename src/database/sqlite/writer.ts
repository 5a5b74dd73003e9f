import { setImmediate } from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Statement } from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Group, Member, type MemberWriter, Turns, watchIdle } from './group.ts';
import type { HeldFile } from './held-file.ts';

/** The most cached statements of a connection. The garbage collector finalises a statement that the cache dropped. */
const mostKept = 500;

/** Converts values without an SQLite type (booleans, dates) as the ORM stores them. */
const toSqlite = (value: unknown): unknown => {
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Date ? value.getTime() : value;
};

/** The prepared statements of a connection; each is prepared once and cached. */
export class Statements {
  readonly #connection: Database;
  readonly #kept = new LRUCache<string, Statement<unknown[]>>({ max: mostKept });

  constructor(connection: Database) {
    this.#connection = connection;
  }

  /** Returns the prepared statement of an SQL text. */
  prepare(sql: string): Statement<unknown[]> {
    const kept = this.#kept.get(sql);
    if (kept) return kept;
    const statement = this.#connection.prepare<unknown[]>(sql);
    this.#kept.set(sql, statement);
    return statement;
  }

  /** Runs a query, whose values may include dates and booleans. */
  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.prepare(sql);
    const values = parameters.map(toSqlite);
    if (statement.reader) return { rows: statement.all(values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Runs a query that only returns rows; undefined for any other query, which does not run. */
  read<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> | undefined {
    const statement = this.prepare(sql);
    if (!statement.reader || !statement.readonly) return undefined;
    return { rows: statement.all(parameters.map(toSqlite)) as Row[] };
  }
}

/** The longest wait for another process's lock, and the pause between two attempts, in milliseconds. */
const patience = 5000;
const pause = 10;

/** Whether another process's lock caused the error. */
export const isBusy = (error: unknown): boolean =>
  String((error as { readonly code?: unknown }).code).startsWith('SQLITE_BUSY');

/**
 * Runs a function that another process's lock may block, and repeats it between turns of the event loop. SQLite's own
 * wait would block the event loop inside the call.
 * @param since the start of the wait, by `performance.now()`; if missing, the first failure
 * @throws SQLite's error; `SQLITE_BUSY` after five seconds
 */
export async function whenFree<Result>(run: () => Result, since?: number): Promise<Result> {
  let begunAt = since;
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      begunAt ??= performance.now();
      if (performance.now() - begunAt >= patience) throw error;
    }
    await delay(pause);
  }
}

/**
 * The size (members) and the age (milliseconds) from which a group is committed before the turn of the event loop
 * ends.
 */
const mostMembers = 64;
const oldest = 10;

/**
 * The most transactions that wait for another process's lock. Each of them takes one of the process's places for
 * requests, and requests that only read need some of these.
 */
const mostWaiting = 50;

const isFull = ({ size, begunAt }: Group): boolean =>
  size >= mostMembers || performance.now() - begunAt >= oldest;

/** Checks whether the file of a database is still the opened one. */
export type Guard = Pick<HeldFile, 'isOverwritten' | 'assertContent' | 'assertPlace'>;

/** The settings of the writer. */
export interface WriterOptions {
  /** Checks the file before and after each group; undefined for a database in memory. */
  readonly guard?: Guard | undefined;
  /**
   * The longest time without a query, in milliseconds. The writer undoes a member that is idle for longer, because
   * all others wait for it.
   */
  readonly idle: number;
  /** Runs a function at the end of this turn of the event loop. */
  readonly endOfTurn?: (run: () => void) => void;
}

/**
 * The connection that changes a database, and the queue of transactions for it.
 *
 * A commit is nearly the whole cost of a write, so concurrent transactions share one: they form a **group**. The
 * first transaction begins the group (`BEGIN IMMEDIATE`). Each **member** runs in a savepoint, one after the other.
 * The group is committed at the end of the turn of the event loop, or as soon as it is large or old. No member gets
 * its answer before the commit.
 *
 * If a member fails, only that member is undone. A member that begins a group while no other transaction waits needs
 * no savepoint: if it fails, ROLLBACK ends the group, which has no other member. If COMMIT fails, or SQLite itself
 * ended the transaction (a full disk), the whole group fails.
 */
export class Writer implements MemberWriter {
  readonly #connection: Database;
  readonly #statements: Statements;
  readonly #endOfTurn: (run: () => void) => void;
  readonly #idleWatch: ReturnType<typeof watchIdle>;
  readonly #guard: Guard | undefined;
  readonly #turns = new Turns();
  #group: Group | undefined;
  #member: Member | undefined;
  /** SQLite's error of the last attempt to begin a group, if another process had the lock. */
  #lockedOut: unknown;
  /** Whether a check of the group is scheduled for the end of this turn of the event loop. */
  #watched = false;

  constructor(connection: Database, { idle, guard, endOfTurn = setImmediate }: WriterOptions) {
    this.#connection = connection;
    this.#statements = new Statements(connection);
    this.#guard = guard;
    this.#endOfTurn = endOfTurn;
    this.#idleWatch = watchIdle(idle, endOfTurn);
  }

  /**
   * Begins a transaction after the earlier ones have left.
   * @throws SQLite's error; `SQLITE_BUSY` if another process held the lock for five seconds, and at once if enough
   *   other transactions wait for it
   */
  async enter(): Promise<Member> {
    if (this.#lockedOut && this.#turns.waiting >= mostWaiting) throw this.#lockedOut;
    const since = performance.now();
    await this.#turns.take();
    try {
      return await whenFree(() => this.#join(), since);
    } catch (error) {
      this.#fail(error);
      this.#turns.pass();
      throw error;
    }
  }

  /** Runs a query as a transaction of its own. */
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

  /** Runs a query that changes nothing, after the open group has ended. */
  async runBetween<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    while (this.#group) await this.#group.outcome.catch(() => {});
    const result = this.#statements.run<Row>(query);
    if (!this.#connection.inTransaction) return result;
    this.#execute('rollback');
    throw new Error('A transaction is begun by Kysely alone, not by a statement');
  }

  /** Commits the open group, unless a member still has its turn. */
  flush(): void {
    if (this.#group && !this.#member) this.#commit();
  }

  run<Row>(query: CompiledQuery): QueryResult<Row> {
    try {
      return this.#statements.run(query);
    } catch (error) {
      if (!this.#connection.inTransaction) {
        this.#fail(error);
        this.#goOn();
      }
      throw error;
    }
  }

  keep({ isAlone }: Member): void {
    this.#leave(() => {
      if (!isAlone) this.#execute('release member');
    });
  }

  undo({ isAlone }: Member): void {
    this.#leave(() => {
      if (isAlone) {
        this.#execute('rollback');
        // The next transaction begins another group.
        this.#succeed();
      } else {
        this.#execute('rollback to member');
        this.#execute('release member');
      }
    });
  }

  #leave(end: () => void): void {
    try {
      end();
    } catch (error) {
      this.#fail(error);
    }
    this.#goOn();
  }

  #join(): Member {
    // While others wait, a failure must not end the group: otherwise each of them would begin its own group.
    const isAlone = !this.#group && this.#turns.waiting === 0;
    this.#group ??= this.#begin();
    if (!isAlone) this.#execute('savepoint member');
    this.#member = new Member(this, this.#group, isAlone);
    this.#watch();
    return this.#member;
  }

  #begin(): Group {
    // An earlier ROLLBACK may have failed.
    if (this.#connection.inTransaction) this.#execute('rollback');
    // Checks before any write: SQLite could write the log back into the file and so hide the foreign content.
    this.#guard?.assertContent();
    this.#beginImmediate();
    return new Group();
  }

  #beginImmediate(): void {
    try {
      this.#execute('begin immediate');
      this.#lockedOut = undefined;
    } catch (error) {
      if (isBusy(error)) this.#lockedOut = error;
      throw error;
    }
  }

  /** Continues after a member has left. */
  #goOn(): void {
    this.#member = undefined;
    this.#idleWatch.end();
    if (this.#group && isFull(this.#group)) this.#commit();
    if (this.#group) {
      this.#watch();
      this.#turns.pass();
    } else {
      // The members of the old group get their answers, and Node reads new requests, before the next group begins.
      this.#endOfTurn(() => this.#turns.pass());
    }
  }

  /** Schedules the commit of the group for the end of this turn, unless a member needs longer. */
  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.#endOfTurn(() => {
      this.#watched = false;
      if (this.#member) this.#idleWatch.begin(this.#member);
      else if (this.#group) this.#commit();
    });
  }

  #commit(): void {
    try {
      this.#execute('commit');
      // A commit to a deleted or replaced file must not count as a success.
      this.#guard?.assertPlace();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#succeed();
  }

  #succeed(): void {
    this.#group?.succeed();
    this.#group = undefined;
  }

  /** Undoes the whole group. */
  #fail(error: unknown): void {
    try {
      if (this.#connection.inTransaction) this.#execute('rollback');
    } catch {
      // The next BEGIN repeats this ROLLBACK. The members learn why the group failed, not that the ROLLBACK failed.
    }
    this.#group?.fail(error);
    this.#group = undefined;
  }

  #execute(statement: string): void {
    this.#statements.prepare(statement).run([]);
  }
}
