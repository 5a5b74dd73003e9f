import { createReadStream, statSync } from 'node:fs';
import { type Line, readLines } from '../transfer/read-lines.ts';
import { CommandError } from './command-error.ts';

/**
 * The intervals of the progress messages, in milliseconds: in a terminal (`often`), and in any other output
 * (`seldom`).
 */
const often = 100;
const seldom = 10_000;

const width = 30;

const bar = (share: number): string => '█'.repeat(Math.round(share * width)).padEnd(width, '░');

/** The progress in words, in a terminal after a bar: `45 %, 1,200 lines`. */
function describe({ number, end }: Line, total: number | undefined, isTerminal: boolean): string {
  const lines = `${number.toLocaleString('en')} lines`;
  if (!total) return lines;
  const share = Math.min(1, end / total);
  return `${isTerminal ? `${bar(share)} ` : ''}${Math.floor(share * 100)} %, ${lines}`;
}

/**
 * Shows a command's progress on standard error: a bar in a terminal, a line now and then in any other output.
 * @param total the size of the input in bytes; undefined if unknown
 */
function createProgress(total: number | undefined) {
  const out = process.stderr;
  let toldAt = performance.now();
  let isShown = false;
  const clear = (): void => {
    if (isShown) out.write('\r\x1b[2K');
    isShown = false;
  };
  return {
    clear,
    /** Shows the progress after a line, at most once per interval. */
    onLine: (line: Line): void => {
      if (performance.now() - toldAt < (out.isTTY ? often : seldom)) return;
      toldAt = performance.now();
      const text = describe(line, total, out.isTTY);
      out.write(out.isTTY ? `\r\x1b[2K${text}` : `${text}\n`);
      isShown = out.isTTY;
    },
    /** Says on a line of its own why a line is refused. */
    onRefused: (number: number, why: string): void => {
      clear();
      out.write(`line ${number}: ${why}\n`);
    },
  };
}

/** @throws {CommandError} if the path names a folder: to read it would fail without its name */
function sizeOf(file: string): number {
  const found = statSync(file);
  if (found.isDirectory()) throw new CommandError(`${file} is a folder, not a file.`);
  return found.size;
}

/**
 * Runs a command on the lines of a file. Shows the progress and reports refused lines on standard error, and prints the
 * totals however the command ends. A refused line makes the exit code 1.
 * @param file the path of the file, or `-` for standard input
 * @param totals what the command counts
 * @param run must say of each line that it was read, and of each refused line why
 * @throws if the file does not exist or is a folder
 */
export async function runOnLines<Totals extends { readonly refused: number }>(
  file: string,
  totals: Totals,
  summary: (totals: Totals) => string,
  run: (lines: AsyncIterable<Line>, report: ReturnType<typeof createProgress>) => Promise<unknown>,
): Promise<void> {
  const progress = createProgress(file === '-' ? undefined : sizeOf(file));
  try {
    await run(readLines(file === '-' ? process.stdin : createReadStream(file)), progress);
  } finally {
    progress.clear();
    process.stdout.write(summary(totals));
  }
  if (totals.refused > 0) process.exitCode = 1;
}
