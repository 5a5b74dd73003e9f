import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { MikroORM } from '@mikro-orm/sqlite';
import { databaseOptions } from './options.ts';

/**
 * Opens the SQLite database, durable (write-ahead log, synced at each commit) and readable by its owner alone.
 * Disposing of it closes it.
 * @param file its path, or `:memory:`; a missing file and its folder are made
 */
export async function openDatabase(file: string) {
  if (file !== ':memory:') createPrivately(file);
  const orm = await MikroORM.init(databaseOptions(file));
  for (const pragma of ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on']) {
    await orm.em.getConnection().execute(`pragma ${pragma}`);
  }
  return Object.assign(orm, { [Symbol.asyncDispose]: () => orm.close() });
}

/** Brings the schema up to date. */
export async function migrate(database: MikroORM): Promise<void> {
  await database.migrator.up();
}

// SQLite gives the log beside the file the file's own mode.
const createPrivately = (file: string) => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
};
