import { randomInt } from 'node:crypto';
import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { ConfigError } from '../../config/config-error.ts';
import type { Warn } from '../backend.ts';
import {
  createPrivately,
  onlyName,
  refuseLinks,
  removeAll,
  sizeOf,
  warnIfEmpty,
  warnIfShared,
} from './file.ts';
import { watchLog } from './write-ahead-log.ts';

/** A database file that only this process writes to, and that is still the one that it opened. */
export class HeldFile implements Disposable {
  readonly #path: string;
  readonly #taken: DisposableStack;
  readonly #warn: Warn;
  /**
   * The open file; closed after SQLite's connections, because closing it ends this process's locks on the file
   * (POSIX).
   */
  readonly #descriptor: number;
  #lock: FileLock;
  /** The reason why this process lost the lock. */
  #lost: Error | undefined;
  #places: readonly Place[] = [];
  /** Whether the file has this process's mark; undefined before SQLite opened it. */
  #hasMark: (() => boolean) | undefined;

  /**
   * Takes the file for this process, and makes it if it is missing.
   * @param warn receives messages for the operator
   * @throws {ConfigError} if another process holds the file, the file has several names, or others may have planted a
   *   link in its place or beside it
   */
  constructor(file: string, warn: Warn) {
    this.#warn = warn;
    using taken = new DisposableStack();
    refuseLinks(file);
    warnIfEmpty(file, warn);
    const isNew = createPrivately(file);
    this.#path = onlyName(file);
    warnIfShared(this.#path, warn);
    this.#descriptor = taken.adopt(openSync(this.#path, 'r'), closeSync);
    this.#lock = isNew ? lockNewFile(this.#path) : lockFile(this.#path);
    taken.defer(() => this.#lock[Symbol.dispose]());
    // A start that fails before SQLite opened the new file removes it again. This process still holds the lock then,
    // so no other process uses the file.
    if (isNew) taken.defer(() => this.#hasMark ?? removeAll(this.#path));
    this.#taken = taken.move();
  }

  /** Marks the file that SQLite has just opened, to recognise it later. */
  watch(writer: Sqlite.Database): this {
    this.#hasMark = mark(this.#descriptor, writer);
    const log = `${this.#path}-wal`;
    this.#places = [placeOf(this.#path), placeOf(log)];
    this.#taken.use(watchLog(log, this.#warn));
    return this;
  }

  /** The size of the write-ahead log, in bytes. */
  get logSize(): number {
    return sizeOf(`${this.#path}-wal`) ?? 0;
  }

  /** Whether something else was written over the file. */
  get isOverwritten(): boolean {
    return this.#hasMark?.() === false;
  }

  /**
   * Checks that the file still has the database's content.
   * @throws {Error} if something else was written over the file
   */
  assertContent(): void {
    if (this.isOverwritten) throw new Error('the database file was overwritten');
  }

  /**
   * Checks that the file and its log are still at their paths, and that this process has the lock.
   * @throws {Error} if either was deleted or replaced, or another process has the lock
   */
  assertPlace(): void {
    if (this.#lost) throw this.#lost;
    this.#assertFiles();
  }

  /**
   * Checks everything, including the lock's file. If that file was deleted or replaced, takes the lock again.
   * @throws {Error} like the two functions above
   */
  assertWhole(): void {
    // If the database's own files are gone, this check throws first: no new lock must appear in their place.
    this.#assertFiles();
    if (!this.#lock.isInPlace()) this.#lockAgain();
    this.assertPlace();
    this.assertContent();
  }

  [Symbol.dispose](): void {
    if (this.#taken.disposed) return;
    if (this.isOverwritten) this.#setLogAside();
    this.#taken.dispose();
  }

  #assertFiles(): void {
    for (const place of this.#places)
      if (!place.isThere()) throw new Error(`${place.path} was deleted or replaced`);
  }

  /** Renames the log of an overwritten file: at the next start, SQLite would write the log into the foreign file. */
  #setLogAside(): void {
    const log = `${this.#path}-wal`;
    if (sizeOf(log) === undefined) return;
    renameSync(log, `${log}.overwritten`);
    rmSync(`${this.#path}-shm`, { force: true });
    this.#warn(`${this.#path} was overwritten: its log was renamed to ${log}.overwritten`);
  }

  #lockAgain(): void {
    try {
      const lock = lockFile(this.#path);
      this.#lock[Symbol.dispose]();
      this.#lock = lock;
      this.#lost = undefined;
      this.#warn(`${this.#path}.lock was deleted or replaced: it was made anew`);
    } catch (error) {
      this.#lost = error as Error;
    }
  }
}

/** Locks a new file that this process made. If that fails, removes the file again. */
function lockNewFile(path: string): FileLock {
  try {
    return lockFile(path);
  } catch (error) {
    // If another process holds the lock, the files belong to that process.
    if (!(error instanceof ConfigError)) removeAll(path);
    throw error;
  }
}

/** A lock of this process; disposing of it releases the lock. */
interface FileLock extends Disposable {
  /** Whether the lock still keeps other processes out: its file may have been deleted or replaced. */
  isInPlace(): boolean;
}

/**
 * Locks a database file for this process. The lock is the operating system's: it ends with the process, however the
 * process ends. The lock is on a file beside the database, so that a backup can still read the database.
 * @param file the database's path, without links
 * @throws {ConfigError} if another process holds the lock
 */
export function lockFile(file: string): FileLock {
  const path = `${file}.lock`;
  createPrivately(path);
  const place = placeOf(path);
  const lock = new Sqlite(path, { timeout: 0, fileMustExist: true });
  try {
    lock.exec('begin exclusive');
    // Another process may have deleted the lock's file meanwhile: a process that cannot start does so.
    if (!place.isThere()) throw inUse(file);
  } catch (error) {
    lock.close();
    throw (error as { code?: string }).code === 'SQLITE_BUSY' ? inUse(file, error) : error;
  }
  return { isInPlace: place.isThere, [Symbol.dispose]: () => void lock.close() };
}

const inUse = (file: string, cause?: unknown): ConfigError =>
  new ConfigError([`DATABASE_URL names ${file}, which another process of Keyward is using`], { cause });

/** A path of a file. */
interface Place {
  readonly path: string;
  /** Whether the file is still at its path. */
  readonly isThere: () => boolean;
}

/**
 * Reads the identity of the file at a path.
 * @throws {Error} if the path names nothing
 */
function placeOf(path: string): Place {
  const { dev, ino } = statSync(path);
  const isThere = () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.ino === ino && found.dev === dev;
  };
  return { path, isThere };
}

// The header of a database file: https://www.sqlite.org/fileformat2.html#the_database_header
const magic = 'SQLite format 3\0';
const headerSize = 100;
const userVersionAt = 60;

/**
 * Marks a database that was just opened, to identify its file even against copies of it: with a random number in the
 * header (`user_version`), new at each start. The mark disappears when something else is written over the file: a
 * backup, another database, zeros.
 * @param descriptor the database's file, open for reading
 * @returns whether the file has a valid mark
 */
function mark(descriptor: number, connection: Sqlite.Database): () => boolean {
  const header = Buffer.alloc(headerSize);
  /** Reads the mark in the file; undefined if the file is no database. */
  const read = (): number | undefined => {
    const isWhole = readSync(descriptor, header, 0, headerSize, 0) === headerSize;
    const isDatabase = isWhole && header.toString('latin1', 0, magic.length) === magic;
    return isDatabase ? header.readInt32BE(userVersionAt) : undefined;
  };
  // The file may still have an older mark than the log.
  const inFile = read() ?? 0;
  const before = connection.pragma('user_version', { simple: true }) as number;
  /** The valid marks, the newest last. The earlier ones stay valid until the newest appears in the file. */
  let right = [inFile, before, writeMark(connection) ?? before];
  const isThere = () => {
    const found = read();
    if (found === undefined || !right.includes(found)) return false;
    if (found === right.at(-1)) right = [found];
    return true;
  };
  isThere();
  return isThere;
}

/** Writes a new mark; undefined if that fails at the moment, for example on a full disk. */
function writeMark(connection: Sqlite.Database): number | undefined {
  const mark = randomInt(1, 2 ** 31);
  try {
    connection.pragma(`user_version = ${mark}`);
    // Moves the mark from the log into the file.
    connection.pragma('wal_checkpoint(passive)');
    return mark;
  } catch {
    return undefined;
  }
}

/** Removes the mark from a copy. A database in use and its copy must differ. */
export const unmark = (copy: Sqlite.Database): void => void copy.pragma('user_version = 0');
