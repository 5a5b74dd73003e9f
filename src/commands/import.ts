import type { Destination } from '../api-keys/import/import-keys.ts';
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
import { tryKey } from '../transfer/try-key.ts';
import { reportFault } from './report-fault.ts';
import { runOnLines } from './run-on-lines.ts';

const usage = `Usage: npm run keys:import -- FILE [--dry-run | --try KEY]

Imports API keys from another service. FILE, or - for standard input, has one JSON object on each line:

  required  "issuer", "subject" (or "organization"), "key_prefix", and one of
              "key"     the key itself
              "sha256"  the SHA-256 of the key, in hexadecimal digits or base64
              "sha512"  the SHA-512 of the key, in the same forms
  optional  "hashed_part", if the hash is only of what follows "key_prefix": {"after": "|"} for keys such as
            7|SECRET, where "key_prefix" is "7|"
            "created_at", "is_active", "paused_at" with "paused_by" and perhaps "pause_reason", the members that REST has for a key ("name", "expires_at", "permissions" and so
            on), and "plan", the plan of the key's account

A line that cannot be imported is reported on standard error and makes the exit code 1; the other lines are imported.
The service can keep running. You can interrupt the command and run it again: keys that exist already stay as they are.
Needs the service's environment.

  --dry-run  changes nothing, and reports what would happen
  --try KEY  changes nothing, and says whether this key would be accepted after the import, and why not (exit code 1);
             --try=KEY for a key that begins with a hyphen
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

/** What the command does with the lines: it imports them, or it tries a key. */
interface Task {
  readonly isDryRun: boolean;
  /** The key that is tried; undefined: none. */
  readonly key: string | undefined;
}

async function importFile(file: string, { isDryRun, key }: Task): Promise<void> {
  const config = loadConfig();
  await using opened = new AsyncDisposableStack();
  const destination = await openDestination(config, opened);
  const issuers = config.issuers.map(({ issuer }) => issuer);
  if (key === undefined) await importAll(file, destination, { issuers, isDryRun });
  else await tryOne(file, destination, { issuers, key });
}

async function importAll(
  file: string,
  destination: Destination,
  options: { readonly issuers: readonly string[]; readonly isDryRun: boolean },
): Promise<void> {
  const totals = { made: 0, known: 0, refused: 0 };
  const done = options.isDryRun ? 'would be imported' : 'imported';
  const summary = ({ made, known, refused }: typeof totals) =>
    `${done}: ${made}, here already: ${known}, refused: ${refused}\n`;
  await runOnLines(file, totals, summary, (lines, report) =>
    importLines(destination, lines, { ...options, ...report }, totals),
  );
}

async function tryOne(
  file: string,
  destination: Destination,
  { issuers, key }: { readonly issuers: readonly string[]; readonly key: string },
): Promise<void> {
  const outcome = { refused: 0, text: '' };
  await runOnLines(
    file,
    outcome,
    ({ text }) => text,
    async (lines, { onLine }) => {
      const { isAccepted, why } = await tryKey(destination, lines, key, { issuers, onLine });
      outcome.refused = isAccepted ? 0 : 1;
      outcome.text = `${isAccepted ? 'accepted' : 'refused'}: ${why}\n`;
    },
  );
}

const options = { 'dry-run': { type: 'boolean' }, try: { type: 'string' } } as const;

const given = readCommandLine({ usage, options, words: 1 });
if (given) {
  const { 'dry-run': isDryRun = false, try: key } = given.values;
  await importFile(given.words[0] as string, { isDryRun, key }).catch(reportFault);
}
