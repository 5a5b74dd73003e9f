import { readCommandLine } from '../config/command-line.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { openBeside } from '../database/database.ts';
import { Db } from '../database/db.ts';
import { assertMigrated } from '../database/migrate.ts';
import { longestReason } from '../operations/input.ts';
import { deactivateLines } from '../transfer/deactivate-keys.ts';
import { reportFault } from './report-fault.ts';
import { runOnLines } from './run-on-lines.ts';

const usage = `Usage: npm run keys:end -- FILE [--reason TEXT] [--dry-run]

Deactivates API keys for good: those that a backup brought back, or many that leaked. FILE, or - for standard input, has
one key on each line, by its id or its prefix (sk-a1b2c3). Empty lines and lines that begin with # are ignored. The
owners see it in their audit trails, and webhooks announce it. A line that matches no key, or several, is reported on
standard error and makes the exit code 1; the other keys are deactivated. The service can keep running. You can
interrupt the command and run it again. Needs the service's DATA_DIR or DATABASE_URL.

  --reason TEXT  tells the owners why, in up to ${longestReason} characters
  --dry-run      changes nothing, and reports what would happen
  --help         prints this text
`;

function readReason(text: string | undefined): string | null {
  const reason = text?.trim() ?? '';
  if ([...reason].length > longestReason)
    throw new ConfigError([`--reason is longer than ${longestReason} characters`]);
  return reason === '' ? null : reason;
}

async function endFile(file: string, options: { reason?: string; 'dry-run'?: boolean }): Promise<void> {
  const reason = readReason(options.reason);
  const isDryRun = options['dry-run'] === true;
  const { database: config } = loadConfig();
  await using database = await openBeside(config);
  await assertMigrated(database, config);
  const db = new Db(database.em);
  const totals = { ended: 0, inactive: 0, refused: 0 };
  const done = isDryRun ? 'would be deactivated' : 'deactivated';
  const summary = ({ ended, inactive, refused }: typeof totals) =>
    `${done}: ${ended}, already inactive: ${inactive}, refused: ${refused}\n`;
  await runOnLines(file, totals, summary, (lines, report) =>
    deactivateLines(db, lines, { reason, isDryRun, ...report }, totals),
  );
}

const options = { 'dry-run': { type: 'boolean' }, reason: { type: 'string' } } as const;

const given = readCommandLine({ usage, options, words: 1 });
if (given) await endFile(given.words[0] as string, given.values).catch(reportFault);
