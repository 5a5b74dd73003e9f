import { setTimeout as delay } from 'node:timers/promises';
import { isForPostgres } from '../database/db.ts';
import { type Destination, importKeys } from './import-keys.ts';
import { createLineReader, type KeyLine, LineError } from './key-line.ts';
import type { Line } from './read-lines.ts';

/** How many keys are made in one transaction. On SQLite all others who write wait for it. */
const batchSize = 250;

/** How long others may write between two batches on SQLite, in milliseconds: they try every 10. */
const pause = 20;

/** How lines are imported. */
export interface ImportOptions {
  /** The issuers that may be named; none: any. */
  readonly issuers: readonly string[];
  /** Whether nothing is written. */
  readonly isDryRun: boolean;
  /** Told of each line that is refused, in words that hold nothing of it. */
  readonly onRefused: (number: number, why: string) => void;
  /** Told of each line that was read. */
  readonly onLine?: (line: Line) => void;
}

/** What came of the lines. */
export interface Totals {
  made: number;
  /** How many keys were here before, or stand in an earlier line. */
  known: number;
  refused: number;
}

/**
 * Brings API keys here, line by line and in batches: no more are read while some are written.
 * @param totals counted up while it works: they hold where it fails, too
 */
export async function importLines(
  destination: Destination,
  lines: AsyncIterable<Line>,
  { issuers, isDryRun, onRefused, onLine }: ImportOptions,
  totals: Totals = { made: 0, known: 0, refused: 0 },
): Promise<Totals> {
  const read = createLineReader(destination.limits, issuers);
  const isPaused = !isDryRun && !isForPostgres(destination.db.kysely);
  let batch: KeyLine[] = [];
  const refuse = (number: number, why: string) => {
    totals.refused += 1;
    onRefused(number, why);
  };
  const write = async () => {
    const { made, known, foreign } = await importKeys(destination, batch, isDryRun);
    batch = [];
    totals.made += made;
    totals.known += known;
    for (const number of foreign) refuse(number, 'The key belongs to another account.');
    if (isPaused && made > 0) await delay(pause);
  };
  for await (const line of lines) {
    const key = readKey(line, read);
    if (key instanceof LineError) refuse(line.number, key.message);
    else if (key) batch.push(key);
    if (batch.length === batchSize) await write();
    onLine?.(line);
  }
  if (batch.length > 0) await write();
  return totals;
}

/** The key of a line, or why it is refused; undefined for an empty line. */
function readKey(
  { number, text }: Line,
  read: ReturnType<typeof createLineReader>,
): KeyLine | LineError | undefined {
  if (text === undefined) return new LineError('Is longer than 64 KiB, or no UTF-8.');
  if (text.trim() === '') return undefined;
  try {
    return read(number, text);
  } catch (error) {
    if (error instanceof LineError) return error;
    throw error;
  }
}
