import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { DatabaseConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';

/** The path of the SQLite file behind a URL, or `:memory:`. */
export const sqliteFile = ({ url }: Pick<DatabaseConfig, 'url'>): string => url.slice('sqlite:'.length);

/**
 * Makes a missing file and its folder, for their owner alone. SQLite gives the log beside it the file's own mode.
 * @throws {ConfigError} where there is something else in its place
 */
export function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Not opened where it is there: to close it again would end this process's locks on it (POSIX).
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new ConfigError([`DATABASE_URL names ${file}, which is not a file`]);
  if (!found) closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/**
 * Holds a database file for this process alone, so long as it lives: the lock is the operating system's, and ends with
 * the process however that ends. It is held on a file beside, so that a backup may still read the database.
 * @throws {ConfigError} where another process holds it
 */
export function lockFile(file: string): Disposable {
  const path = `${file}.lock`;
  createPrivately(path);
  const lock = new Database(path, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
    throw new ConfigError([`DATABASE_URL names ${file}, which another process of Keyward is using`], {
      cause: error,
    });
  }
  return { [Symbol.dispose]: () => lock.close() };
}
