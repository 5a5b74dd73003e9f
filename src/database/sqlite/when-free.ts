import { setTimeout as delay } from 'node:timers/promises';

/** How long another process's lock is waited for, and how long between two attempts, in milliseconds. */
const patience = 5000;
const pause = 10;

/** Whether another process's lock was in the way. */
export const isBusy = (error: unknown): boolean =>
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
