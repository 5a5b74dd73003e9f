import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { ConfigError } from '../../config/config-error.ts';
import type { Warn } from '../backend.ts';
import { createPrivately, onlyName, removeAll, sizeOf, tellEmpty } from './file.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/** A database file that belongs to this process: nobody else writes to it, and it is still the one that was opened. */
export class HeldFile implements Disposable {
  readonly #path: string;
  readonly #taken: DisposableStack;
  readonly #warn: Warn;
  /** Closed after all of SQLite's: to close it ends this process's locks on the file (POSIX). */
  readonly #descriptor: number;
  #lock: FileLock;
  /** Why the lock is not this process's any more. */
  #lost: Error | undefined;
  #places: readonly Place[] = [];
  #mark: Mark | undefined;
  #log: WriteAheadLog | undefined;

  /**
   * Takes a file, which is made where it is missing.
   * @param warn told what an operator should know
   * @throws {ConfigError} where another process has it, or it has several names
   */
  constructor(file: string, warn: Warn) {
    this.#warn = warn;
    using taken = new DisposableStack();
    tellEmpty(file, warn);
    const isNew = createPrivately(file);
    this.#path = onlyName(file);
    this.#descriptor = taken.adopt(openSync(this.#path, 'r'), closeSync);
    const isOwn = lockOpenFile(this.#descriptor, this.#path);
    this.#lock = isNew && isOwn ? lockNewFile(this.#path) : lockFile(this.#path);
    taken.defer(() => this.#lock[Symbol.dispose]());
    // A start that fails before SQLite has opened it leaves nothing. While it is locked: nobody else has it.
    if (isNew) taken.defer(() => this.#mark ?? removeAll(this.#path));
    this.#taken = taken.move();
  }

  /** Begins to know the file, which SQLite has just opened, from any other. */
  watch(writer: Sqlite.Database): this {
    this.#mark = new Mark(this.#descriptor, writer);
    const logPath = `${this.#path}-wal`;
    this.#places = [placeOf(this.#path), placeOf(logPath)];
    this.#log = this.#taken.use(new WriteAheadLog(logPath, this.#warn));
    return this;
  }

  /** How many bytes the log beside it takes up. */
  get logSize(): number {
    return this.#log?.size ?? 0;
  }

  /** @throws where something else was written over the file */
  assertContent(): void {
    if (this.#mark?.isThere() === false) throw new Error('the database file was overwritten');
  }

  /** @throws where the file, or the log beside it, was deleted or replaced, or another process has its lock */
  assertPlace(): void {
    if (this.#lost) throw this.#lost;
    this.#assertFiles();
  }

  /**
   * Looks at everything, its lock too, and takes that again where its file was deleted or replaced.
   * @throws as the two above
   */
  assertWhole(): void {
    // Where they are away, the lock is not to be put in their place.
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

  /** Takes the log away from a file that it does not belong to: SQLite would write it into that at the next start. */
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

/** Locks a file that was just made, and of which this process has the inode; where that fails, nothing of it is left. */
function lockNewFile(path: string): FileLock {
  try {
    return lockFile(path);
  } catch (error) {
    // Where another process holds the lock, that is not this one's to remove.
    if (!(error instanceof ConfigError)) removeAll(path);
    throw error;
  }
}

/** A lock that this process holds; disposing of it gives it up. */
interface FileLock extends Disposable {
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
  const lock = new Sqlite(path, { timeout: 0 });
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
function lockOpenFile(descriptor: number, file: string): boolean {
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

/** Which file lies at a path now. */
interface Place {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

/** @throws where nothing lies there */
function placeOf(path: string): Place {
  const { dev, ino } = statSync(path);
  return { path, device: dev, inode: ino };
}

/** Whether the same file lies at its path still. */
function isInPlace({ path, device, inode }: Place): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.ino === inode && found.dev === device;
}

// The header of a database file: https://www.sqlite.org/fileformat2.html#the_database_header
const magic = 'SQLite format 3\0';
const headerSize = 100;
const userVersionAt = 60;

/**
 * What tells a database file from any other, its own copies too: a random number in its header (`user_version`), new at
 * each start. So it shows when something else was written over it: a backup, another database, zeros.
 */
class Mark {
  readonly #descriptor: number;
  readonly #header = Buffer.alloc(headerSize);
  /** Those that are right: the ones before also, until the new one was seen in the file. */
  #right: readonly number[];

  /**
   * Marks a database that was just opened.
   * @param descriptor its file, open for reading
   */
  constructor(descriptor: number, connection: Sqlite.Database) {
    this.#descriptor = descriptor;
    // The one in the file may be older than the one in the log.
    const inFile = this.#read() ?? 0;
    const before = connection.pragma('user_version', { simple: true }) as number;
    this.#right = [inFile, before, writeMark(connection) ?? before];
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
function writeMark(connection: Sqlite.Database): number | undefined {
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
export const unmark = (copy: Sqlite.Database): void => void copy.pragma('user_version = 0');
