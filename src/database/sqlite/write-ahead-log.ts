import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import type { Warn } from '../backend.ts';

/** How often it is looked at, in milliseconds. */
const interval = 5000;

const megabyte = 1024 * 1024;

/** What is left of it after it was written back, and from where on an operator is told, in bytes. */
export const keptSize = 16 * megabyte;
const tellSize = 256 * megabyte;

/**
 * The log beside a database file. SQLite begins it anew once all of it is written back to the file, which no reader may
 * hold up: while another program reads for long, it grows, and its file would keep that size. Here it is written back
 * and cut short as soon as that can be done. Disposing of it ends that it is looked at.
 */
export class WriteAheadLog implements Disposable {
  readonly #path: string;
  readonly #writer: Database;
  readonly #warn: Warn;
  readonly #timer: NodeJS.Timeout;
  #isTold = false;

  /**
   * @param path its own, not the database file's
   * @param writer the connection that may write it back
   * @param mayWrite whether the database's file is still the one that it belongs to
   * @param warn told once each time that it has grown much
   */
  constructor(path: string, writer: Database, mayWrite: () => boolean, warn: Warn) {
    this.#path = path;
    this.#writer = writer;
    this.#warn = warn;
    this.#timer = setInterval(() => {
      this.#tell();
      if (this.size > keptSize && mayWrite()) this.#cut();
    }, interval).unref();
  }

  /** How many bytes it takes up. */
  get size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    const isLarge = this.size > tellSize;
    if (isLarge && !this.#isTold)
      this.#warn(
        `${this.#path} has grown to ${Math.round(this.size / megabyte)} MB: another program has read the database for long. It shrinks when that has ended`,
      );
    this.#isTold = isLarge;
  }

  /** Writes it back, and cuts it short where no reader needs it any more. In a transaction that cannot be done. */
  #cut(): void {
    if (!this.#writer.open || this.#writer.inTransaction) return;
    try {
      this.#writer.pragma('wal_checkpoint(truncate)');
    } catch {
      // A disk that is full, for example: writes say so.
    }
  }
}
