import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';

/** The pause between two attempts, in milliseconds. */
const interval = 500;

/** Runs a query on another connection to PostgreSQL. */
type Run = (query: CompiledQuery) => Promise<unknown>;

/**
 * Ends server processes of this user and this program only, because the process numbers of a pooler are not
 * PostgreSQL's.
 */
const endProcesses = (ids: readonly number[]) =>
  CompiledQuery.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where pid = any($1) and usename = current_user and application_name = 'keyward' and pid <> pg_backend_pid()`,
    [ids],
  );

/**
 * Ends the server processes of dropped connections. PostgreSQL does not know yet that the connection is gone: its
 * process may hold locks, and may still execute statements that it has received. This class ends the process as soon
 * as PostgreSQL answers again.
 */
export class Abandoned {
  readonly #run: Run;
  readonly #patience: number;
  /** The server processes, each with the time (by `performance.now()`) until which the attempts to end it continue. */
  readonly #processes = new Map<number, number>();
  readonly #ended = new AbortController();
  #isEnding = false;

  /** @param patience the time after which PostgreSQL itself ends such a process, in milliseconds */
  constructor(run: Run, patience: number) {
    this.#run = run;
    this.#patience = patience;
  }

  /** Ends a server process, in the background. */
  add(process: number): void {
    if (this.#ended.signal.aborted) return;
    this.#processes.set(process, performance.now() + this.#patience);
    if (!this.#isEnding) void this.#endAll();
  }

  /** Stops all attempts. */
  end(): void {
    this.#ended.abort();
  }

  async #endAll(): Promise<void> {
    this.#isEnding = true;
    while (this.#processes.size > 0 && !this.#ended.signal.aborted) {
      await this.#try().catch(() =>
        delay(interval, undefined, { ref: false, signal: this.#ended.signal }).catch(() => {}),
      );
      for (const [id, until] of this.#processes) if (performance.now() > until) this.#processes.delete(id);
    }
    this.#isEnding = false;
  }

  async #try(): Promise<void> {
    const ids = [...this.#processes.keys()];
    await this.#run(endProcesses(ids));
    for (const id of ids) this.#processes.delete(id);
  }
}
