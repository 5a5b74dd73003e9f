/** The longest line, in bytes. */
const longestLine = 64 * 1024;

const newline = 10;

/** A line of a file. */
export interface Line {
  /** The line's number; the first line has 1. */
  readonly number: number;
  /** The text; undefined if the line is too long or no UTF-8. */
  readonly text: string | undefined;
  /** The number of the file's bytes up to the end of the line. */
  readonly end: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads lines one by one. The content of a line that is too long is not kept in memory. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let size = 0;
  let number = 0;
  let end = 0;
  const add = (piece: Buffer) => {
    size += piece.length;
    if (size <= longestLine) pieces.push(piece);
    else pieces = [];
  };
  const finish = (): Line => {
    const text = size <= longestLine ? decode(Buffer.concat(pieces)) : undefined;
    end += size;
    number += 1;
    pieces = [];
    size = 0;
    return { number, text, end };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, at));
      yield finish();
      end += 1;
      start = at + 1;
    }
    add(chunk.subarray(start));
  }
  if (size > 0) yield finish();
}

/** The reason why a line is refused. The message quotes nothing from the line. */
export class LineError extends Error {
  override readonly name = 'LineError';
}

/** The options of a command that reads lines. */
export interface LineOptions {
  /** Whether to write nothing. */
  readonly isDryRun: boolean;
  /** Called for each refused line; the reason quotes nothing from the line. */
  readonly onRefused: (number: number, why: string) => void;
  /** Called for each line that was read. */
  readonly onLine?: (line: Line) => void;
}

/**
 * Takes lines one by one.
 * @param take takes a line's text; a line is refused if this throws a {@link LineError}
 */
export async function takeLines(
  lines: AsyncIterable<Line>,
  { onRefused, onLine }: Omit<LineOptions, 'isDryRun'>,
  take: (text: string, number: number) => Promise<void>,
): Promise<void> {
  for await (const line of lines) {
    try {
      if (line.text === undefined) throw new LineError('Is longer than 64 KiB, or no UTF-8.');
      await take(line.text, line.number);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      onRefused(line.number, error.message);
    }
    onLine?.(line);
  }
}
