import { statSync } from 'node:fs';
import type { Warn } from '../backend.ts';

/** How often it is looked at, in milliseconds. */
const interval = 5000;

const megabyte = 1024 * 1024;

/** SQLite cuts it to this size when it begins it anew, in bytes. */
export const keptSize = 16 * megabyte;

/** From this size on an operator is told, in bytes. */
const tellSize = 256 * megabyte;

/**
 * The log beside a database file, as an operator sees it. While another program reads for long, SQLite cannot begin it
 * anew, and it grows. After the reader has ended, the next commit writes it back, and the one after that cuts it to
 * `keptSize` (`journal_size_limit`). Disposing of this ends that the log is looked at.
 */
export class WriteAheadLog implements Disposable {
  readonly #path: string;
  readonly #warn: Warn;
  readonly #timer: NodeJS.Timeout;
  #isTold = false;

  /**
   * @param path its own, not the database file's
   * @param warn told once each time that it has grown much
   */
  constructor(path: string, warn: Warn) {
    this.#path = path;
    this.#warn = warn;
    this.#timer = setInterval(() => this.#tell(), interval).unref();
  }

  /** How many bytes it takes up. */
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
