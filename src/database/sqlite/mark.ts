import { randomInt } from 'node:crypto';
import { readSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

// The header of a database file: https://www.sqlite.org/fileformat2.html#the_database_header
const magic = 'SQLite format 3\0';
const headerSize = 100;
const userVersionAt = 60;

/**
 * What tells a database file from any other, its own copies too: a random number in its header (`user_version`), new at
 * each start. So it shows when something else was written over it: a backup, another database, zeros.
 */
export class Mark {
  readonly #descriptor: number;
  readonly #header = Buffer.alloc(headerSize);
  /** Those that are right: the ones before also, until the new one was seen in the file. */
  #right: readonly number[];

  /**
   * Marks a database that was just opened.
   * @param descriptor its file, open for reading
   */
  constructor(descriptor: number, connection: Database) {
    this.#descriptor = descriptor;
    // The one in the file may be older than the one in the log.
    const inFile = this.#read() ?? 0;
    const before = connection.pragma('user_version', { simple: true }) as number;
    this.#right = [inFile, before, write(connection) ?? before];
    this.isThere();
  }

  /** Whether it is in the file. */
  isThere(): boolean {
    const found = this.#read();
    if (found === undefined || !this.#right.includes(found)) return false;
    if (found === this.#right.at(-1)) this.#right = [found];
    return true;
  }

  /** The mark that is in the file; undefined where it is no database. */
  #read(): number | undefined {
    const header = this.#header;
    const isWhole = readSync(this.#descriptor, header, 0, headerSize, 0) === headerSize;
    if (isWhole && header.toString('latin1', 0, magic.length) === magic)
      return header.readInt32BE(userVersionAt);
    return undefined;
  }
}

/** Writes a new mark; undefined where that cannot be done now, on a full disk for example. */
function write(connection: Database): number | undefined {
  const mark = randomInt(1, 2 ** 31);
  try {
    connection.pragma(`user_version = ${mark}`);
    // From the log into the file.
    connection.pragma('wal_checkpoint(passive)');
    return mark;
  } catch {
    return undefined;
  }
}

/** Takes the mark from a copy: while the database that it was made of is in use, it is another one. */
export const unmark = (copy: Database): void => void copy.pragma('user_version = 0');
