import { setImmediate } from 'node:timers/promises';
import { Repeated } from '../repeated.ts';

/** The interval between two runs, in milliseconds. */
const interval = 10 * 60_000;

/** The most rows that one statement deletes: on SQLite, all other writers wait for the statement. */
export const cleanUpBatch = 200;

/**
 * Deletes expired rows at regular intervals, in batches.
 * @param deleteSome deletes up to {@link cleanUpBatch} expired rows, and returns their number
 * @param onFailure receives the error of a failed run; a later run tries again
 */
export const cleanUp = (deleteSome: () => Promise<number>, onFailure: (error: unknown) => void): Repeated =>
  new Repeated(
    interval,
    async (isOver) => {
      // Other requests run between two batches.
      while ((await deleteSome()) >= cleanUpBatch && !isOver()) await setImmediate();
    },
    onFailure,
  );
