import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { ConfigError } from '../../config/config-error.ts';
import type { Warn } from '../backend.ts';
import { createPrivately, onlyName } from './file.ts';
import { type FileLock, lockFile, lockOpenFile } from './lock.ts';
import { Mark } from './mark.ts';
import { isInPlace, type Place, placeOf } from './place.ts';
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
  watch(writer: Database): this {
    this.#mark = new Mark(this.#descriptor, writer);
    const logPath = `${this.#path}-wal`;
    this.#places = [placeOf(this.#path), placeOf(logPath)];
    this.#log = this.#taken.use(new WriteAheadLog(logPath, writer, () => this.#isWhole(), this.#warn));
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

  #isWhole(): boolean {
    try {
      this.assertWhole();
      return true;
    } catch {
      return false;
    }
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

/** Removes a database file with all that SQLite and this process have put beside it. */
function removeAll(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock']) {
    const isFile = statSync(path + suffix, { throwIfNoEntry: false })?.isFile();
    if (isFile) rmSync(path + suffix);
  }
}

/**
 * Says that a file is there and has nothing in it: it may have been more.
 * @throws {ConfigError} where it has been: what was written to it last lies beside it, and SQLite would delete that
 */
function tellEmpty(file: string, warn: Warn): void {
  if (sizeOf(file) !== 0) return;
  if (sizeOf(`${file}-wal`))
    throw new ConfigError([
      `DATABASE_URL names ${file}, which is empty, and the log beside it is not: the file was overwritten. Put a backup in its place, and delete ${file}-wal`,
    ]);
  warn(`${file} is empty (0 bytes): it becomes a new database, in which there is nothing`);
}

/** How many bytes a file has; undefined where there is none. */
const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;
