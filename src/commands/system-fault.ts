/** What is wrong with a file, by the operating system's error code. */
const faults: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EEXIST: 'exists already',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'is below a file, not in a folder',
  EACCES: 'may not be used by this user',
  EPERM: 'may not be used by this user',
  EROFS: 'is on a file system that cannot be written to',
  ENOSPC: 'has no room left on its disk',
  EDQUOT: 'has no room left in the quota of this user',
  EFBIG: 'has reached the size limit for files (`ulimit -f`)',
  EIO: 'is on a disk that fails',
  EMFILE: 'cannot be opened: too many files are open (`ulimit -n`)',
  ENFILE: 'cannot be opened: too many files are open on this machine',
  EPIPE: 'is no longer read by anybody',
};

/**
 * Describes an error of the operating system in one sentence.
 * @returns undefined for any other error
 */
export function describeSystemFault(error: Error): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined || code === undefined) return undefined;
  const what = faults[code];
  // Reading and writing an open file does not tell which file it is.
  const place = path ?? (syscall === 'read' ? 'The input' : 'The output');
  return what === undefined ? `${error.message}.` : `${place} ${what} (${code}).`;
}
