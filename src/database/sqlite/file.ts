import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';

/** The path of the SQLite file behind a URL, or `:memory:`. */
export const sqliteFile = ({ url }: Pick<DatabaseConfig, 'url'>): string => url.slice('sqlite:'.length);

/**
 * Makes a missing file and its folder, for their owner alone. SQLite gives the log beside it the file's own mode.
 * @throws {ConfigError} where there is something else in its place
 */
export function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Not opened where it is there: to close it again would end this process's locks on it (POSIX).
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw new ConfigError([`DATABASE_URL names ${file}, which is not a file`]);
  if (!found) closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}
