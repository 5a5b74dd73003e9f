import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlDriver } from '@mikro-orm/sql';
import { SqliteDriver } from '@mikro-orm/sqlite';
import type Sqlite from 'better-sqlite3';
import type { DatabaseConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Backend } from '../backend.ts';
import { createPrivately, lockFile, sqliteFile } from './file.ts';
import { keepStatements } from './statements.ts';

/** SQLite, durably (write-ahead log, synced at each commit), and for this process alone. A missing file is made. */
export function sqliteOptions(config: DatabaseConfig): Backend {
  const file = sqliteFile(config);
  return {
    options: { driver: SqliteDriver, dbName: file },
    ...(file !== ':memory:' && { hold: () => holdFile(file) }),
    ready: makeDurable,
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

async function makeDurable(orm: MikroORM<AbstractSqlDriver>): Promise<void> {
  const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<Sqlite.Database> };
  keepStatements(await connection.getNativeClient());
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on']) {
    await orm.em.getConnection().execute(`pragma ${pragma}`);
  }
}
