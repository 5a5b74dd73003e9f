import { readCommandLine } from '../config/command-line.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { openBeside } from '../database/database.ts';
import { Db } from '../database/db.ts';
import { assertMigrated } from '../database/migrate.ts';
import { assertSecretVersions } from '../database/secret-versions.ts';
import { readPlans } from '../plans/plans-file.ts';
import { createSecrets } from '../secrets/secrets.ts';
import { importLines } from '../transfer/import-lines.ts';
import { reportFault } from './report-fault.ts';
import { runOnLines } from './run-on-lines.ts';

const usage = `Usage: npm run keys:import -- FILE [--dry-run]

Imports API keys from another service. FILE, or - for standard input, has one JSON object on each line:

  required  "issuer", "subject", "key_prefix", and either "key", the key itself, or "sha256", the SHA-256 of the whole
            key in hexadecimal digits or base64
  optional  "created_at", "is_active", the members that REST has for a key ("name", "expires_at", "permissions" and so
            on), and "plan", the plan of the key's account

A line that cannot be imported is reported on standard error and makes the exit code 1; the other lines are imported.
The service can keep running. You can interrupt the command and run it again: keys that exist already stay as they are.
Needs the service's environment.

  --dry-run  changes nothing, and reports what would happen
  --help     prints this text
`;

/** Opens the destination of the import. */
async function openDestination(config: Config, opened: AsyncDisposableStack) {
  const { database: databaseConfig, secrets: keys } = config;
  if (!keys)
    throw new ConfigError(['KEY_PEPPERS and KEY_ENCRYPTION_KEYS must be set to the values of the service']);
  const database = opened.use(await openBeside(databaseConfig));
  await assertMigrated(database, databaseConfig);
  const db = new Db(database.em);
  const secrets = createSecrets(keys);
  await assertSecretVersions(db, secrets);
  return { db, secrets, settings: { ...config, plans: readPlans(config.plansFile) } };
}

async function importFile(file: string, isDryRun: boolean): Promise<void> {
  const config = loadConfig();
  await using opened = new AsyncDisposableStack();
  const destination = await openDestination(config, opened);
  const issuers = config.issuers.map(({ issuer }) => issuer);
  const totals = { made: 0, known: 0, refused: 0 };
  const done = isDryRun ? 'would be imported' : 'imported';
  const summary = ({ made, known, refused }: typeof totals) =>
    `${done}: ${made}, here already: ${known}, refused: ${refused}\n`;
  await runOnLines(file, totals, summary, (lines, report) =>
    importLines(destination, lines, { issuers, isDryRun, ...report }, totals),
  );
}

const options = { 'dry-run': { type: 'boolean' } } as const;

const given = readCommandLine({ usage, options, words: 1 });
if (given) await importFile(given.words[0] as string, given.values['dry-run'] === true).catch(reportFault);
