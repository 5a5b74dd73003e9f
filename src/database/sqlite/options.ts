import { SqliteDriver } from '@mikro-orm/sqlite';
import type { DatabaseConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Backend } from '../backend.ts';
import { SqliteDialect } from './dialect.ts';
import { createPrivately, sqliteFile } from './file.ts';
import { lockFile } from './lock.ts';

/** SQLite, in a file for this process alone, which is made where it is missing, or in memory. */
export function sqliteOptions(config: DatabaseConfig): Backend {
  const file = sqliteFile(config);
  const dialect = new SqliteDialect({ file, idle: config.timeouts.idleInTransaction });
  return {
    dialect,
    options: { driver: SqliteDriver, dbName: file, driverOptions: dialect },
    ...(file !== ':memory:' && { hold: () => holdFile(file) }),
    refuse: refuseFile,
  };
}

function holdFile(file: string): Disposable {
  createPrivately(file);
  return lockFile(file);
}

/** Says why a file cannot be used, by the code of SQLite's failure or of the operating system's. */
function refuseFile(error: Error & { code?: string }): never {
  if (!/^(E[A-Z]+|SQLITE_\w+)$/.test(error.code ?? '')) throw error;
  const fault = `DATABASE_URL (or DATA_DIR) names a file that cannot be used (${error.code}): is it an SQLite database, and may this user write to it and to its folder?`;
  throw new ConfigError([fault], { cause: error });
}
