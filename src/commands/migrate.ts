import { readCommandLine } from '../config/command-line.ts';
import { loadConfig } from '../config/load-config.ts';
import { databaseSummary } from '../config/summary.ts';
import { openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { reportFault } from './report-fault.ts';

const usage = `Usage: npm run db:migrate -- [--help]

Updates the database's schema and prints the migrations that it applied. Needs the service's environment: see
docs/configuration.md.

  --help  prints this text
`;

/** Prints the applied migrations, one a line. */
function report(where: string, applied: readonly string[]): void {
  const done =
    applied.length === 0
      ? 'the schema is up to date, nothing had to be done'
      : ['the schema is up to date now, by', ...applied].join('\n  ');
  process.stdout.write(`${where}: ${done}\n`);
}

async function run(): Promise<void> {
  const config = loadConfig();
  await using database = await openDatabase(config.database);
  report(databaseSummary(config), await migrate(database, config.database));
}

if (readCommandLine({ usage })) await run().catch(reportFault);
