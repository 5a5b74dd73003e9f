import { statSync } from 'node:fs';
import type { Warn } from '../backend.ts';

/** The interval between two checks of the log's size, in milliseconds. */
const interval = 5000;

const megabyte = 1024 * 1024;

/** The size to which SQLite cuts the log when it restarts it, in bytes. */
export const keptSize = 16 * megabyte;

/** The size above which the operator gets a warning, in bytes. */
const tellSize = 256 * megabyte;

/**
 * Watches the write-ahead log of a database file. While another program reads for a long time, SQLite cannot restart
 * the log, and the log grows. After that read ends, the next commit writes the log back into the file, and the commit
 * after that cuts the log to `keptSize` (`journal_size_limit`). Disposing of this object ends the checks.
 */
export class WriteAheadLog implements Disposable {
  readonly #path: string;
  readonly #warn: Warn;
  readonly #timer: NodeJS.Timeout;
  #isTold = false;

  /**
   * @param path the path of the log, not of the database file
   * @param warn receives a message each time the log grows above the size for warnings
   */
  constructor(path: string, warn: Warn) {
    this.#path = path;
    this.#warn = warn;
    this.#timer = setInterval(() => this.#tell(), interval).unref();
  }

  /** The size of the log, in bytes. */
  get size(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    const { size } = this;
    const isLarge = size > tellSize;
    if (isLarge && !this.#isTold)
      this.#warn(
        `${this.#path} has grown to ${Math.round(size / megabyte)} MB: another program has read the database for long. It shrinks with the second change after that has ended`,
      );
    this.#isTold = isLarge;
  }
}
