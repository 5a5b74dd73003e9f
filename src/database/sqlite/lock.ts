import Database from 'better-sqlite3';
import { ConfigError } from '../../config/config-error.ts';
import { createPrivately } from './file.ts';

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
