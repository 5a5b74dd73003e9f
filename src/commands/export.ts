import { createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { readCommandLine } from '../config/command-line.ts';
import { loadConfig } from '../config/load-config.ts';
import { openBeside } from '../database/database.ts';
import { Db } from '../database/db.ts';
import { assertMigrated } from '../database/migrate.ts';
import { exportKeys } from '../transfer/export-keys.ts';
import { reportFault } from './report-fault.ts';

const usage = `Usage: npm run keys:export -- FILE

Writes all API keys to a new FILE, or to standard output if FILE is -. Each line is a JSON object with the members that
npm run keys:import takes, but without secrets and digests. The service can keep running. Needs the service's DATA_DIR
or DATABASE_URL.

  --help  prints this text
`;

/** Writes the lines to a file or to standard output. If the write fails, the new file is deleted. */
async function write(lines: AsyncIterable<string>, file: string): Promise<void> {
  if (file === '-') return pipeline(lines, process.stdout, { end: false });
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    await pipeline(lines, out);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(file, { force: true });
    throw error;
  }
}

async function exportTo(file: string): Promise<void> {
  const { database: config } = loadConfig();
  await using database = await openBeside(config);
  await assertMigrated(database, config);
  await write(exportKeys(new Db(database.em)), file);
}

const given = readCommandLine({ usage, words: 1 });
if (given) await exportTo(given.words[0] as string).catch(reportFault);
