import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Warn } from '../backend.ts';

/** The path of the SQLite file behind a URL, or `:memory:`. */
export const sqliteFile = ({ url }: Pick<DatabaseConfig, 'url'>): string => url.slice('sqlite:'.length);

/**
 * Says that a file is there and has nothing in it: it may have been more.
 * @throws {ConfigError} where it has been: what was written to it last lies beside it, and SQLite would delete that
 */
export function tellEmpty(file: string, warn: Warn): void {
  if (sizeOf(file) !== 0) return;
  if (sizeOf(`${file}-wal`))
    throw new ConfigError([
      `DATABASE_URL names ${file}, which is empty, and the log beside it is not: the file was overwritten. Put a backup in its place, and delete ${file}-wal`,
    ]);
  warn(`${file} is empty (0 bytes): it becomes a new database, in which there is nothing`);
}

/**
 * Makes a missing file and its folder, for their owner alone. SQLite gives the log beside it the file's own mode.
 * @returns whether it was missing
 * @throws {ConfigError} where there is something else in its place
 */
export function createPrivately(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Not opened where it is there: to close it again would end this process's locks on it (POSIX).
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new ConfigError([`DATABASE_URL names ${file}, which is not a file`]);
  if (!found) closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  return !found;
}

/**
 * The path of a database file, without symbolic links in it.
 * @throws {ConfigError} where the file has another name elsewhere. SQLite keeps its log beside the name: two names have
 *   two logs, and each writes over what the other has committed
 */
export function onlyName(file: string): string {
  const path = realpathSync(file);
  const { nlink } = statSync(path);
  if (nlink > 1)
    throw new ConfigError([
      `DATABASE_URL names ${file}, which has ${nlink} names (hard links): a database must have one. Delete the others, or copy the file`,
    ]);
  if (isMounted(path))
    throw new ConfigError([
      `DATABASE_URL names ${file}, which is mounted by itself: what was written last lies in files beside it. Mount its folder`,
    ]);
  return path;
}

/** Whether something is mounted at a path (Linux alone says so). */
function isMounted(path: string): boolean {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return mounts.some((mount) => unescapeMount(mount.split(' ', 5)[4] ?? '') === path);
}

/** A path as the kernel lists it, with its white space in octal numbers. */
const unescapeMount = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** Removes a database file with all that SQLite and this process have put beside it. */
export function removeAll(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock']) {
    const isFile = statSync(path + suffix, { throwIfNoEntry: false })?.isFile();
    if (isFile) rmSync(path + suffix);
  }
}

/** How many bytes a file has; undefined where there is none. */
export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/** What a failure is about, by how its code begins: SQLite's, or the operating system's. */
const faults: readonly (readonly [code: RegExp, what: string])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)$/, 'there is no room left on its disk'],
  [/^(SQLITE_(NOTADB|CORRUPT))/, 'it is no SQLite database, or a damaged one'],
  [/^SQLITE_BUSY/, 'another program has had its lock for five seconds'],
  [/^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS)/, 'may this user write to it and to its folder?'],
  [/^(EEXIST|ENOTDIR)$/, 'there is a file in the place of its folder'],
  [/^(SQLITE_IOERR|EIO)/, 'its disk fails'],
  [/^E[A-Z]+$/, 'may this user write to it and to its folder?'],
];

/** What SQLite needs at least to open a file. */
const leastRoom = 64 * 1024;

/** What SQLite tells a full disk from a faulty one by depends on what it was about to do. */
const mayBeFull = /^(SQLITE_(IOERR|CANTOPEN|FULL)|ENOSPC)/;

/**
 * Why a file could not be used, in words.
 * @returns undefined where the failure is about something else than the file
 */
export function describeFault(error: Error & { readonly code?: unknown }, file: string): string | undefined {
  const code = String(error.code);
  const [, known] = faults.find(([pattern]) => pattern.test(code)) ?? [];
  const what = mayBeFull.test(code) && isFull(dirname(file)) ? faults[0]?.[1] : known;
  return what && `${what} (${code})`;
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < leastRoom;
  } catch {
    return false;
  }
}
