import { spawnSync } from 'node:child_process';
import Database from 'better-sqlite3';
import { ConfigError } from '../../config/config-error.ts';
import { createPrivately } from './file.ts';
import { isInPlace, placeOf } from './place.ts';

/** A lock that this process holds; disposing of it gives it up. */
export interface FileLock extends Disposable {
  /** Whether whoever comes next would meet it: its file can be deleted or replaced. */
  readonly isInPlace: boolean;
}

/**
 * Holds a database file for this process alone, so long as it lives: the lock is the operating system's, and ends with
 * the process however that ends. It is held on a file beside, so that a backup may still read the database.
 * @param file its path, without links
 * @throws {ConfigError} where another process holds it
 */
export function lockFile(file: string): FileLock {
  const path = `${file}.lock`;
  createPrivately(path);
  const place = placeOf(path);
  const lock = new Database(path, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
    // Another process may have deleted it meanwhile, as one that could not start does.
    if (!isInPlace(place)) throw inUse(file);
  } catch (error) {
    lock.close();
    throw (error as { code?: string }).code === 'SQLITE_BUSY' ? inUse(file, error) : error;
  }
  return {
    get isInPlace() {
      return isInPlace(place);
    },
    [Symbol.dispose]: () => void lock.close(),
  };
}

/**
 * Locks an open file itself, whatever its names, until it is closed. Node has no call for it, so the program `flock`
 * does it: the lock belongs to what both have opened. SQLite knows nothing of it (on Linux it uses locks of another
 * sort), so backups and other readers are not kept out. Where there is no such program, nothing is done.
 * @returns whether it is locked
 * @throws {ConfigError} where another process holds it
 */
export function lockOpenFile(descriptor: number, file: string): boolean {
  if (process.platform !== 'linux') return false;
  const { status } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
    // Nothing of this process's: it is searched for in the system's own folders.
    env: {},
  });
  if (status === 1) throw inUse(file);
  return status === 0;
}

const inUse = (file: string, cause?: unknown): ConfigError =>
  new ConfigError([`DATABASE_URL names ${file}, which another process of Keyward is using`], { cause });
