import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Warn } from '../backend.ts';

/** The path of the SQLite file in a URL, or `:memory:`: `sqlite:data/keyward.db` → `data/keyward.db`. */
export const sqliteFile = ({ url }: Pick<DatabaseConfig, 'url'>): string => url.slice('sqlite:'.length);

/**
 * Warns if the file exists and is empty, because it may have had content before.
 * @throws {ConfigError} if it had: the log beside the file holds its last commits, and SQLite would delete that log
 */
export function warnIfEmpty(file: string, warn: Warn): void {
  if (sizeOf(file) !== 0) return;
  if (sizeOf(`${file}-wal`))
    throw new ConfigError([
      `DATABASE_URL names ${file}, which is empty, and the log beside it is not: the file was overwritten. Put a backup in its place, and delete ${file}-wal`,
    ]);
  warn(`${file} is empty (0 bytes): it becomes a new database, in which there is nothing`);
}

/** Whether others than a folder's owner can write to it, and so plant links in it. Windows has no such modes. */
const isShared = (folder: string): boolean =>
  process.platform !== 'win32' && ((statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) !== 0;

/** Warns if others can write to the folder of a file. */
export function warnIfShared(file: string, warn: Warn): void {
  const folder = dirname(file);
  if (isShared(folder)) warn(`others can write to ${folder}, and so delete or replace ${file}: chmod 700 it`);
}

/**
 * Makes an existing file accessible to its owner only.
 * @throws {ConfigError} if the path is a link in a folder that others can write to
 */
export function makePrivate(file: string): void {
  const path = followLinks(file);
  if (!isShared(dirname(path))) {
    chmodSync(path, 0o600);
    return;
  }
  // Nobody can put a link in the place of an open file. This process has no locks on the file yet, so closing it ends
  // none (POSIX). The open does not wait for the other end of a pipe.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile() || found.nlink > 1) throw planted(path, 'not a plain file with a single name');
    fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Follows the symbolic links in the place of a file. In a folder that others can write to, a link could name any file
 * of this user.
 * @returns the path that the last link names; the path itself if it is no link
 * @throws {ConfigError} if a link is in a folder that others can write to
 */
export function followLinks(file: string): string {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
  if (isShared(dirname(file))) throw planted(file, 'a symbolic link');
  // Throws if the links form a circle.
  statSync(file, { throwIfNoEntry: false });
  return followLinks(resolve(realpathSync(dirname(file)), readlinkSync(file)));
}

const planted = (file: string, what: string): ConfigError =>
  new ConfigError([
    `${file} is ${what}, in a folder that others can write to: delete it, or chmod 700 the folder`,
  ]);

/** The endings of the names of a database file and of the files that SQLite and this process make beside it. */
const endings = ['', '-wal', '-shm', '-journal', '.lock'];

/** @throws {ConfigError} if a database file, or a file beside it, is a link in a folder that others can write to */
export function refuseLinks(file: string): void {
  const path = followLinks(file);
  for (const ending of endings) followLinks(path + ending);
}

/**
 * Makes a missing file and its folder, accessible to their owner only. SQLite gives its log the file's mode.
 * @returns whether the file was missing
 * @throws {ConfigError} if the path names something other than a file, or a link in a folder that others can write to
 */
export function createPrivately(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const path = followLinks(file);
  const isThere = isFile(path);
  if (!isThere)
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  makePrivate(path);
  return !isThere;
}

/**
 * Whether a file exists.
 * @throws {ConfigError} if the path names something other than a file
 */
export function isFile(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new ConfigError([`DATABASE_URL names ${file}, which is not a file`]);
  return found !== undefined;
}

/**
 * Resolves the path of a database file, without symbolic links.
 * @throws {ConfigError} if the file has a second name elsewhere (a hard link or a mount). SQLite names its log after
 *   the file: two names have two logs, and each would overwrite the commits of the other
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

/** Whether something is mounted at a path; only Linux tells. */
function isMounted(path: string): boolean {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return mounts.some((mount) => unescapeMount(mount.split(' ', 5)[4] ?? '') === path);
}

/** Decodes a path in the kernel's list of mounts, which writes white space as octal numbers: `\040` → a space. */
const unescapeMount = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** Removes a database file with all files that SQLite and this process made beside it. */
export function removeAll(path: string): void {
  for (const ending of endings) {
    const isFile = statSync(path + ending, { throwIfNoEntry: false })?.isFile();
    if (isFile) rmSync(path + ending);
  }
}

/** The size of a file in bytes; undefined if missing. */
export const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/** The error codes of a file that this user may not read or write. */
const mayBeAnothers = /^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS)/;

/** The causes of failures, by the beginning of the error code: SQLite's or the operating system's. */
const faults: readonly (readonly [code: RegExp, what: string])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)$/, 'there is no room left on its disk'],
  [/^(SQLITE_(NOTADB|CORRUPT))/, 'it is no SQLite database, or a damaged one'],
  [/^SQLITE_BUSY/, 'another program has had its lock for five seconds'],
  [mayBeAnothers, 'may this user write to it and to its folder?'],
  [/^(EEXIST|ENOTDIR)$/, 'there is a file in the place of its folder'],
  [
    /^SQLITE_IOERR_(SHM\w+|\w*LOCK)$/,
    'its file system does not lock files or share memory as SQLite needs it: use a local disk, or PostgreSQL',
  ],
  [/^(SQLITE_IOERR|EIO)/, 'its disk fails'],
  [/^E[A-Z]+$/, 'may this user write to it and to its folder?'],
];

/** The least free disk space that SQLite needs to open a file, in bytes. */
const leastRoom = 64 * 1024;

/** The error codes that may mean a full disk: SQLite's code depends on the call that failed. */
const mayBeFull = /^(SQLITE_(IOERR|CANTOPEN|FULL)|ENOSPC)/;

/**
 * Describes in words why a file was unusable.
 * @param file the file, to find out whether its disk is full; undefined if unknown
 * @returns undefined if the failure does not concern the file
 */
export function describeFault(error: Error & { readonly code?: unknown }, file?: string): string | undefined {
  const code = String(error.code);
  const [, known] = faults.find(([pattern]) => pattern.test(code)) ?? [];
  const what = (file !== undefined && describePlace(code, file)) || known;
  return what && `${what} (${code})`;
}

/** What is wrong with the place of a file, if that explains a failure: its disk is full, or it belongs to another user. */
function describePlace(code: string, file: string): string | undefined {
  if (mayBeFull.test(code) && isFull(dirname(file))) return faults[0]?.[1];
  return mayBeAnothers.test(code) ? describeOwner(file) : undefined;
}

/** Says which file belongs to another user; undefined if none does. Root may use all files, and Windows has no such users. */
function describeOwner(file: string): string | undefined {
  const own = process.getuid?.() ?? 0;
  if (own === 0) return undefined;
  for (const path of [dirname(file), ...endings.map((ending) => file + ending)]) {
    const owner = ownerOf(path);
    if (owner !== undefined && owner !== own)
      return `${path} belongs to the user with the id ${owner}, and Keyward runs as ${own}: run it as ${owner}, or as root run chown -R ${own} ${dirname(file)}`;
  }
  return undefined;
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid;
  } catch {
    // Its folder belongs to another user too, and has been named.
    return undefined;
  }
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < leastRoom;
  } catch {
    return false;
  }
}
