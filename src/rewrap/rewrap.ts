import type { Db } from '../database/db.ts';

/** How many rows are changed in one transaction. */
export const batchSize = 100;

/** Writes a new value; false where its row is no longer as it was read. */
export type Write = (db: Db) => Promise<boolean>;

/** One sort of values that are moved to the newest version. */
export interface Rewrapping<Row extends { readonly id: number }> {
  /** What they are, for the progress. */
  readonly what: string;
  /** How many are left under older versions. */
  count(db: Db): Promise<number>;
  /** The next that can be moved, in the order of their ids. */
  next(db: Db, after: number): Promise<Row[]>;
  /**
   * Makes a row's new value.
   * @throws where the stored one cannot be read
   */
  prepare(row: Row): Promise<Write>;
}

/** What came of it. */
export interface Rewrapped {
  readonly moved: number;
  /** The ids of rows whose value cannot be read. */
  readonly broken: readonly number[];
  readonly left: number;
}

/**
 * Moves values to the newest version in small batches. Each row is read, and changed only if it is still the same, so
 * that others may work on them at the same time, and this may be ended at any moment and begun anew.
 * @param onProgress told after each batch how many rows were moved so far
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
