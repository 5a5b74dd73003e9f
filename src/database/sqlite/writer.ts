import { setImmediate } from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Statement } from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Group, IdleWatch, Member, type MemberWriter, Turns } from './group.ts';

/** How many statements of a connection are kept; one that is dropped is finalised when it is collected. */
const mostKept = 500;

/** What SQLite has no type of its own for, as the ORM stores it. */
const toSqlite = (value: unknown): unknown => {
  if (typeof value === 'boolean') return Number(value);
  return value instanceof Date ? value.getTime() : value;
};

/** The statements of a connection, each prepared once and kept. */
export class Statements {
  readonly #connection: Database;
  readonly #kept = new LRUCache<string, Statement<unknown[]>>({ max: mostKept });

  constructor(connection: Database) {
    this.#connection = connection;
  }

  /** A statement, ready to be run. */
  prepare(sql: string): Statement<unknown[]> {
    const kept = this.#kept.get(sql);
    if (kept) return kept;
    const statement = this.#connection.prepare<unknown[]>(sql);
    this.#kept.set(sql, statement);
    return statement;
  }

  /** Runs a query; its values may be dates and booleans. */
  run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.prepare(sql);
    const values = parameters.map(toSqlite);
    if (statement.reader) return { rows: statement.all(values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Runs a query where all that it does is to answer rows; undefined where it would do more. */
  read<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> | undefined {
    const statement = this.prepare(sql);
    if (!statement.reader || !statement.readonly) return undefined;
    return { rows: statement.all(parameters.map(toSqlite)) as Row[] };
  }
}

/** How long another process's lock is waited for, and how long between two attempts, in milliseconds. */
const patience = 5000;
const pause = 10;

/** Whether another process's lock was in the way. */
const isBusy = (error: unknown): boolean =>
  String((error as { readonly code?: unknown }).code).startsWith('SQLITE_BUSY');

/**
 * Runs what another process's lock may be in the way of. It is tried again between turns of the event loop: SQLite
 * itself would wait inside of the call, and everybody with it.
 * @param since when the waiting began, by `performance.now()`; left out: now
 * @throws what SQLite says; `SQLITE_BUSY` after five seconds
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

/** A group is committed before its turn ends where it has so many members, or is so old, in milliseconds. */
const mostMembers = 64;
const oldest = 10;

/**
 * How many wait at another process's lock. Each takes up one of the places that a process has for requests, and
 * requests that only read need some.
 */
const mostWaiting = 50;

const isFull = ({ size, begunAt }: Group): boolean =>
  size >= mostMembers || performance.now() - begunAt >= oldest;

/** What knows whether a database's file is still the one that was opened. */
export interface Guard {
  /** @throws where something else was written over the file */
  assertContent(): void;
  /** @throws where another file, or none, is in its place */
  assertPlace(): void;
}

/** What of the writer may be set. */
export interface WriterOptions {
  /** Asked around each group; left out where there is no file. */
  readonly guard?: Guard | undefined;
  /** How long a member may run nothing, in milliseconds, before it is undone: all others wait for it. */
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
 * member that fails is undone alone. One that begins a group while nobody waits needs no savepoint: where it fails,
 * ROLLBACK ends the group, in which nothing else is. Where COMMIT fails, or SQLite itself has ended the transaction (a
 * disk that is full), the whole group fails.
 */
export class Writer implements MemberWriter {
  readonly #connection: Database;
  readonly #statements: Statements;
  readonly #endOfTurn: (run: () => void) => void;
  readonly #idleWatch: IdleWatch;
  readonly #guard: Guard | undefined;
  readonly #turns = new Turns();
  #group: Group | undefined;
  #member: Member | undefined;
  /** What SQLite said at the last attempt to begin a group, where another process had the lock. */
  #lockedOut: unknown;
  /** Whether the group is looked at when this turn of the event loop ends. */
  #watched = false;

  constructor(connection: Database, { idle, guard, endOfTurn = setImmediate }: WriterOptions) {
    this.#connection = connection;
    this.#statements = new Statements(connection);
    this.#guard = guard;
    this.#endOfTurn = endOfTurn;
    this.#idleWatch = new IdleWatch(idle, endOfTurn);
  }

  /**
   * Begins a transaction, when those before it have left.
   * @throws what SQLite says; `SQLITE_BUSY` where another process has held its lock for five seconds, and at once where
   *   enough others wait for it
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
        // Whoever comes next begins another group.
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
    // Where others wait, a failure is not to end the group: each would begin one of its own.
    const isAlone = !this.#group && this.#turns.waiting === 0;
    this.#group ??= this.#begin();
    if (!isAlone) this.#execute('savepoint member');
    this.#member = new Member(this, this.#group, isAlone);
    this.#watch();
    return this.#member;
  }

  #begin(): Group {
    // A ROLLBACK may have failed.
    if (this.#connection.inTransaction) this.#execute('rollback');
    // Before anything is written: what is written back from the log could hide it.
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

  /** Goes on when a member has left. */
  #goOn(): void {
    this.#member = undefined;
    this.#idleWatch.end();
    if (this.#group && isFull(this.#group)) this.#commit();
    if (this.#group) {
      this.#watch();
      this.#turns.pass();
    } else {
      // Whoever was in the group is answered, and new requests are read, before the next one begins.
      this.#endOfTurn(() => this.#turns.pass());
    }
  }

  /** Sees to it that the group is committed when this turn ends, unless a member takes longer. */
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
      // What is in no file any more is not acknowledged.
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
      // Tried again before the next BEGIN. What is told is why the group has failed.
    }
    this.#group?.fail(error);
    this.#group = undefined;
  }

  #execute(statement: string): void {
    this.#statements.prepare(statement).run([]);
  }
}
