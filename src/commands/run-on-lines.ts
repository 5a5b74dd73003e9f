import { createReadStream, statSync } from 'node:fs';
import { type Line, readLines } from '../transfer/read-lines.ts';
import { Progress } from './progress.ts';

/** Receives what becomes of each line. */
interface LineReport {
  readonly onRefused: (number: number, why: string) => void;
  readonly onLine: (line: Line) => void;
}

/**
 * Runs a command on the lines of a file. Shows the progress and reports refused lines on standard error, and prints the
 * totals however the command ends. A refused line makes the exit code 1.
 * @param file the path of the file, or `-` for standard input
 * @param totals what the command counts
 * @throws if the file does not exist
 */
export async function runOnLines<Totals extends { readonly refused: number }>(
  file: string,
  totals: Totals,
  summary: (totals: Totals) => string,
  run: (lines: AsyncIterable<Line>, report: LineReport) => Promise<unknown>,
): Promise<void> {
  const size = file === '-' ? undefined : statSync(file).size;
  const input = file === '-' ? process.stdin : createReadStream(file);
  const progress = new Progress(size);
  try {
    await run(readLines(input), {
      onRefused: (number, why) => progress.say(`line ${number}: ${why}`),
      onLine: ({ number, end }) => progress.tell(number, end),
    });
  } finally {
    progress[Symbol.dispose]();
    process.stdout.write(summary(totals));
  }
  if (totals.refused > 0) process.exitCode = 1;
}
