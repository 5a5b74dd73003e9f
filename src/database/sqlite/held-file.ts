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
import { WriteAheadLog } from './write-ahead-log.ts';

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
  #mark: Mark | undefined;
  #log: WriteAheadLog | undefined;

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
    if (isNew) taken.defer(() => this.#mark ?? removeAll(this.#path));
    this.#taken = taken.move();
  }

  /** Marks the file that SQLite has just opened, to recognise it later. */
  watch(writer: Sqlite.Database): this {
    this.#mark = new Mark(this.#descriptor, writer);
    const logPath = `${this.#path}-wal`;
    this.#places = [placeOf(this.#path), placeOf(logPath)];
    this.#log = this.#taken.use(new WriteAheadLog(logPath, this.#warn));
    return this;
  }

  /** The size of the write-ahead log, in bytes. */
  get logSize(): number {
    return this.#log?.size ?? 0;
  }

  /**
   * Checks that the file still has the database's content.
   * @throws {Error} if something else was written over the file
   */
  assertContent(): void {
    if (this.#mark?.isThere() === false) throw new Error('the database file was overwritten');
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
    if (!this.#lock.isInPlace) this.#lockAgain();
    this.assertPlace();
    this.assertContent();
  }

  [Symbol.dispose](): void {
    if (this.#taken.disposed) return;
    if (this.#mark?.isThere() === false) this.#setLogAside();
    this.#taken.dispose();
  }

  #assertFiles(): void {
    for (const place of this.#places)
      if (!isInPlace(place)) throw new Error(`${place.path} was deleted or replaced`);
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
  readonly isInPlace: boolean;
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

const inUse = (file: string, cause?: unknown): ConfigError =>
  new ConfigError([`DATABASE_URL names ${file}, which another process of Keyward is using`], { cause });

/** A path, with the identity of the file that is there. */
interface Place {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/**
 * Reads the identity of the file at a path.
 * @throws {Error} if the path names nothing
 */
function placeOf(path: string): Place {
  const { dev, ino } = statSync(path);
  return { path, device: dev, inode: ino };
}

/** Whether the same file is still at its path. */
function isInPlace({ path, device, inode }: Place): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.ino === inode && found.dev === device;
}

// The header of a database file: https://www.sqlite.org/fileformat2.html#the_database_header
const magic = 'SQLite format 3\0';
const headerSize = 100;
const userVersionAt = 60;

/**
 * The mark that identifies a database file, even against its own copies: a random number in its header
 * (`user_version`), new at each start. The mark disappears when something else is written over the file: a backup,
 * another database, zeros.
 */
class Mark {
  readonly #descriptor: number;
  readonly #header = Buffer.alloc(headerSize);
  /** The valid marks, the newest last. The earlier ones stay valid until the newest appears in the file. */
  #right: readonly number[];

  /**
   * Marks a database that was just opened.
   * @param descriptor the database's file, open for reading
   */
  constructor(descriptor: number, connection: Sqlite.Database) {
    this.#descriptor = descriptor;
    // The file may still have an older mark than the log.
    const inFile = this.#read() ?? 0;
    const before = connection.pragma('user_version', { simple: true }) as number;
    this.#right = [inFile, before, writeMark(connection) ?? before];
    this.isThere();
  }

  /** Whether the file has a valid mark. */
  isThere(): boolean {
    const found = this.#read();
    if (found === undefined || !this.#right.includes(found)) return false;
    if (found === this.#right.at(-1)) this.#right = [found];
    return true;
  }

  /** Reads the mark in the file; undefined if the file is no database. */
  #read(): number | undefined {
    const header = this.#header;
    const isWhole = readSync(this.#descriptor, header, 0, headerSize, 0) === headerSize;
    if (isWhole && header.toString('latin1', 0, magic.length) === magic)
      return header.readInt32BE(userVersionAt);
    return undefined;
  }
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
