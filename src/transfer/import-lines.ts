import { setTimeout as delay } from 'node:timers/promises';
import type { KeyLine } from '../api-keys/import/import-keys.ts';
import { type Destination, importKeys } from '../api-keys/import/import-keys.ts';
import { readForms } from '../api-keys/verify/imported-keys.ts';
import { isForPostgres } from '../database/db.ts';
import { createLineReader } from './key-line.ts';
import { type Line, type LineOptions, takeLines } from './read-lines.ts';

/** The number of keys in one transaction. On SQLite, all other writers wait for the transaction. */
const batchSize = 250;

/**
 * The pause between two batches on SQLite, in milliseconds, in which others may write. Waiting writers try every 10
 * milliseconds.
 */
const pause = 20;

/** The options of an import. */
export interface ImportOptions extends LineOptions {
  /** The issuers that a line may name; an empty list allows any issuer. */
  readonly issuers: readonly string[];
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
  { issuers, isDryRun, onRefused, ...others }: ImportOptions,
  totals: Totals = { made: 0, known: 0, refused: 0 },
): Promise<Totals> {
  const { db, settings } = destination;
  const read = createLineReader({ settings, issuers, forms: await readForms(db) });
  const isPaused = !isDryRun && !isForPostgres(db.kysely);
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
  await takeLines(lines, { ...others, onRefused: refuse }, async (text, number) => {
    if (text.trim() !== '') batch.push(read(number, text));
    if (batch.length === batchSize) await write();
  });
  if (batch.length > 0) await write();
  return totals;
}
