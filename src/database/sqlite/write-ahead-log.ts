import type { Warn } from '../backend.ts';
import { sizeOf } from './file.ts';

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
 * after that cuts the log to `keptSize` (`journal_size_limit`).
 * @param path the path of the log, not of the database file
 * @param warn receives a message each time the log grows above the size for warnings
 * @returns ends the checks
 */
export function watchLog(path: string, warn: Warn): Disposable {
  let isTold = false;
  const look = () => {
    const size = sizeOf(path) ?? 0;
    const isLarge = size > tellSize;
    if (isLarge && !isTold)
      warn(
        `${path} has grown to ${Math.round(size / megabyte)} MB: another program has read the database for long. It shrinks with the second change after that has ended`,
      );
    isTold = isLarge;
  };
  return setInterval(look, interval).unref();
}
