import { setTimeout as delay } from 'node:timers/promises';
import { isForPostgres } from '../database/db.ts';
import { type Destination, importKeys } from './import-keys.ts';
import { createLineReader, type KeyLine, LineError } from './key-line.ts';
import type { Line } from './read-lines.ts';

/** The number of keys in one transaction. On SQLite, all other writers wait for the transaction. */
const batchSize = 250;

/**
 * The pause between two batches on SQLite, in milliseconds, in which others may write. Waiting writers try every 10
 * milliseconds.
 */
const pause = 20;

/** The options of an import. */
export interface ImportOptions {
  /** The issuers that a line may name; an empty list allows any issuer. */
  readonly issuers: readonly string[];
  /** Whether to write nothing. */
  readonly isDryRun: boolean;
  /** Called for each refused line; the reason quotes nothing from the line. */
  readonly onRefused: (number: number, why: string) => void;
  /** Called for each line that was read. */
  readonly onLine?: (line: Line) => void;
}

/** The result of an import. */
export interface Totals {
  made: number;
  /** The number of keys that existed before or stand in an earlier line. */
  known: number;
  refused: number;
}

/**
 * Imports API keys from lines, in batches. Reading pauses during the write of a batch.
 * @param totals counts during the import, so the numbers are right even if the import fails
 */
export async function importLines(
  destination: Destination,
  lines: AsyncIterable<Line>,
  { issuers, isDryRun, onRefused, onLine }: ImportOptions,
  totals: Totals = { made: 0, known: 0, refused: 0 },
): Promise<Totals> {
  const read = createLineReader(destination.settings, issuers);
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

/** Reads the key of a line. The result is the reason if the line is refused, and undefined for an empty line. */
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
