import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { readCommandLine } from '../config/command-line.ts';
import { loadConfig } from '../config/load-config.ts';
import { isPostgres } from '../database/database.ts';
import { describeFault, isFile, refuseLinks, sqliteFile } from '../database/sqlite/file.ts';
import { unmark } from '../database/sqlite/held-file.ts';
import { CommandError } from './command-error.ts';
import { reportFault } from './report-fault.ts';

/**
 * Makes a new file and its folder, accessible to their owner only. A link counts as an existing file, wherever it
 * leads.
 */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST'
      ? new CommandError(`${path} exists already.`)
      : error;
  }
}

const close = (database: Sqlite.Database) => void database.close();

/**
 * Copies the SQLite database to a file while it is in use. The copy has everything that was committed before. A
 * failed copy leaves nothing behind.
 */
async function backUp(target: string): Promise<void> {
  const { database } = loadConfig();
  if (isPostgres(database)) throw new CommandError('This command is for SQLite; use pg_dump for PostgreSQL.');
  const file = sqliteFile(database);
  if (!isFile(file)) throw new CommandError(`The database ${file} does not exist.`);
  refuseLinks(file);
  using opened = new DisposableStack();
  const source = opened.adopt(
    read(file, () => new Sqlite(file, { readonly: true, fileMustExist: true })),
    close,
  );
  createFile(target);
  await copy(source, target);
}

/**
 * Runs a step that reads the database.
 * @throws {CommandError} if the file cannot be read
 */
function read<Result>(file: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    const fault = describeFault(error as Error, file);
    if (fault === undefined) throw error;
    throw new CommandError(`The database ${file} cannot be read: ${fault}.`, { cause: error });
  }
}

/**
 * Copies the database. Deletes an incomplete copy.
 * @throws {CommandError} if the copy is incomplete or damaged
 */
async function copy(source: Sqlite.Database, target: string): Promise<void> {
  try {
    // SQLite has only opened the file until now.
    read(source.name, () => source.pragma('schema_version'));
    await source.backup(target, { progress: () => 0x7fffffff });
    finish(target);
  } catch (error) {
    for (const path of [target, `${target}-journal`]) rmSync(path, { force: true });
    const fault = describeFault(error as Error, target);
    if (fault === undefined) throw error;
    throw new CommandError(`${target} was not written: ${fault}.`, { cause: error });
  }
}

/** Turns a copy into a single file, and checks its integrity. */
function finish(target: string): void {
  using opened = new DisposableStack();
  const copy = opened.adopt(new Sqlite(target), close);
  copy.pragma('journal_mode = delete');
  unmark(copy);
  const verdict = copy.pragma('integrity_check', { simple: true });
  if (verdict !== 'ok') throw new CommandError(`${target} was not written: the copy is damaged: ${verdict}.`);
}

const usage = `Usage: npm run db:backup -- FILE

Copies the SQLite database to a new file. The service can keep running. Needs the service's DATA_DIR or DATABASE_URL.

  --help  prints this text
`;

async function run(target: string): Promise<void> {
  await backUp(target);
  process.stdout.write(`${target} is a copy of the database.\n`);
}

const given = readCommandLine({ usage, words: 1 });
if (given) await run(given.words[0] as string).catch(reportFault);
