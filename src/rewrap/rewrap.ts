import type { Db } from '../database/db.ts';

/** The number of rows in one transaction. */
export const batchSize = 100;

/** Writes a new value. The result is false if the row has changed since it was read. */
export type Write = (db: Db) => Promise<boolean>;

/** One kind of stored values that can move to the newest version of a secret. */
export interface Rewrapping<Row extends { readonly id: number }> {
  /** The name of the values in progress messages: `private keys`. */
  readonly what: string;
  /** Counts the values that are still under older versions. */
  count(db: Db): Promise<number>;
  /** Says why values are still under older versions, a line for each reason; missing: nothing is known. */
  explain?(db: Db): Promise<readonly string[]>;
  /**
   * Reads the next batch of rows that can move, in the order of their ids.
   * @param after the id before the batch
   */
  next(db: Db, after: number): Promise<Row[]>;
  /**
   * Makes a row's new value, and returns the function that writes it.
   * @throws if the stored value cannot be read
   */
  prepare(row: Row): Promise<Write>;
}

/** The result of a rewrapping. */
export interface Rewrapped {
  readonly moved: number;
  /** The ids of the rows whose value cannot be read. */
  readonly broken: readonly number[];
  readonly left: number;
}

/**
 * Moves values to the newest version in small batches. A row changes only if it still has the value that was read. So
 * others may write to the rows at the same time, and the command may stop at any moment and start again.
 * @param onProgress gets, after each batch, the number of rows moved so far
 */
export async function rewrap<Row extends { readonly id: number }>(
  db: Db,
  { count, next, prepare }: Rewrapping<Row>,
  onProgress: (moved: number) => void,
): Promise<Rewrapped> {
  const broken: number[] = [];
  let moved = 0;
  let after = 0;
  for (;;) {
    const rows = await next(db, after);
    if (rows.length === 0) return { moved, broken, left: await count(db) };
    const prepared = await Promise.allSettled(rows.map(prepare));
    broken.push(...rows.filter((_, at) => prepared[at]?.status === 'rejected').map(({ id }) => id));
    moved += await writeAll(db, prepared);
    onProgress(moved);
    after = rows.at(-1)?.id ?? after;
  }
}

const writeAll = (db: Db, prepared: readonly PromiseSettledResult<Write>[]): Promise<number> =>
  db.transaction(async (inner) => {
    let written = 0;
    for (const result of prepared) {
      if (result.status === 'fulfilled' && (await result.value(inner))) written += 1;
    }
    return written;
  });
