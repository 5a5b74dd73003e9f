import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { type PooledClient, PostgresConnection, type Shared } from './connection.ts';

/** How long is waited between two attempts, in milliseconds. */
const interval = 500;

/** Where there are other connections. */
interface Connections extends Shared {
  connect(): Promise<PooledClient>;
}

/** Of this user and this program alone: a pooler has other numbers. */
const endProcesses = (ids: readonly number[]) =>
  CompiledQuery.raw(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where pid = any($1) and usename = current_user and application_name = 'keyward' and pid <> pg_backend_pid()`,
    [ids],
  );

/**
 * What PostgreSQL may still do on connections that were dropped here: it does not know that yet. It is ended there as
 * soon as PostgreSQL answers, for it may hold locks, and carry out what it has already received.
 */
export class Abandoned {
  readonly #pool: Connections;
  readonly #patience: number;
  /** The server's processes, and until when it is tried to end them. */
  readonly #processes = new Map<number, number>();
  readonly #ended = new AbortController();
  #isEnding = false;

  /** @param patience after how many milliseconds PostgreSQL has ended a process by itself */
  constructor(pool: Connections, patience: number) {
    this.#pool = pool;
    this.#patience = patience;
  }

  /** Ends a process of the server's, in the background. */
  add(process: number): void {
    if (this.#ended.signal.aborted) return;
    this.#processes.set(process, performance.now() + this.#patience);
    if (!this.#isEnding) void this.#endAll();
  }

  /** Tries no more. */
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
    const connection = new PostgresConnection(await this.#pool.connect(), this.#pool);
    try {
      await connection.executeQuery(endProcesses(ids));
    } finally {
      connection.release();
    }
    for (const id of ids) this.#processes.delete(id);
  }
}
