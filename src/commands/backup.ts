import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { readCommandLine } from '../config/command-line.ts';
import { loadConfig } from '../config/load-config.ts';
import { isPostgres } from '../database/database.ts';
import { describeFault, refuseLinks, sqliteFile } from '../database/sqlite/file.ts';
import { unmark } from '../database/sqlite/held-file.ts';

/**
 * Makes a new file and its folder, accessible to their owner only. A link counts as an existing file, wherever it
 * leads.
 */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? new Error(`${path} exists already.`) : error;
  }
}

const close = (database: Sqlite.Database) => void database.close();

/**
 * Copies the SQLite database to a file while it is in use. The copy has everything that was committed before. A
 * failed copy leaves nothing behind.
 */
async function backUp(target: string): Promise<void> {
  const { database } = loadConfig();
  if (isPostgres(database)) throw new Error('This command is for SQLite; use pg_dump for PostgreSQL.');
  const file = sqliteFile(database);
  refuseLinks(file);
  using opened = new DisposableStack();
  const source = opened.adopt(new Sqlite(file, { readonly: true, fileMustExist: true }), close);
  createFile(target);
  await copy(source, target);
}

/**
 * Copies the database. Deletes an incomplete copy.
 * @throws {Error} if the copy is incomplete or damaged
 */
async function copy(source: Sqlite.Database, target: string): Promise<void> {
  try {
    await source.backup(target, { progress: () => 0x7fffffff });
    finish(target);
  } catch (error) {
    const fault = describeFault(error as Error, target) ?? (error as Error).message;
    for (const path of [target, `${target}-journal`]) rmSync(path, { force: true });
    throw new Error(`${target} was not written: ${fault}.`, { cause: error });
  }
}

/** Turns a copy into a single file, and checks its integrity. */
function finish(target: string): void {
  using opened = new DisposableStack();
  const copy = opened.adopt(new Sqlite(target), close);
  copy.pragma('journal_mode = delete');
  unmark(copy);
  const verdict = copy.pragma('integrity_check', { simple: true });
  if (verdict !== 'ok') throw new Error(`the copy is damaged: ${verdict}`);
}

const usage = `Usage: npm run db:backup -- FILE

Copies the SQLite database to a new file. The service can keep running. Needs the service's DATA_DIR or DATABASE_URL.

  --help  prints this text
`;

async function run(target: string): Promise<void> {
  try {
    await backUp(target);
    process.stdout.write(`${target} is a copy of the database.\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

const given = readCommandLine({ usage, words: 1 });
if (given) await run(given.words[0] as string);
