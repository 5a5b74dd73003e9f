import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

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
const least = 64 * 1024;

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
    return bavail * bsize < least;
  } catch {
    return false;
  }
}
