import { createReadStream, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readCommandLine } from '../config/command-line.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, reportConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { openBeside } from '../database/database.ts';
import { Db } from '../database/db.ts';
import { assertMigrated } from '../database/migrate.ts';
import { isPostgres } from '../database/options.ts';
import { assertSecretVersions } from '../database/secret-versions.ts';
import { createSecrets } from '../secrets/secrets.ts';
import { type Destination, importKeys } from './import-keys.ts';
import { createLineReader, type KeyLine, LineError } from './key-line.ts';
import { Progress } from './progress.ts';
import { type Line, readLines } from './read-lines.ts';

/** How many keys are made in one transaction. */
const batchSize = 500;

/** How long others may write between two batches on SQLite, in milliseconds: they try every 10. */
const pause = 20;

const usage = `Usage: npm run keys:import -- FILE [--dry-run]

Brings API keys here that exist elsewhere: a file of JSON lines, or - for the standard input. Each has "issuer",
"subject", "key_prefix", and either "sha256", the SHA-256 of the whole key in hexadecimal digits or base64, or "key", the
key itself. It may have "name", "created_at", "expires_at", "permissions", "metadata", "allowed_addresses", "rate_limit",
"quota" and "is_active". A line that is refused is told on the standard error, and makes the exit code 1; the others are
imported. It works beside the running service, may be ended at any moment, and run again: a key that is here already
stays as it is. It needs the service's own environment.

  --dry-run  writes nothing, and says what would be refused
  --help     prints this text
`;

/** What came of all lines so far. */
interface Totals {
  made: number;
  known: number;
  refused: number;
}

/** Brings keys here, line by line. */
class Import {
  readonly totals: Totals = { made: 0, known: 0, refused: 0 };
  readonly #destination: Destination;
  readonly #read: (number: number, text: string) => KeyLine;
  readonly #pause: number;
  readonly #isDryRun: boolean;
  readonly #progress: Progress;
  #waiting: KeyLine[] = [];

  constructor(destination: Destination, config: Config, progress: Progress, isDryRun: boolean) {
    this.#destination = destination;
    this.#read = createLineReader(
      config,
      config.issuers.map(({ issuer }) => issuer),
    );
    this.#pause = isPostgres(config.database) || isDryRun ? 0 : pause;
    this.#isDryRun = isDryRun;
    this.#progress = progress;
  }

  /** Takes lines one after the other: no more are read while some are written. */
  async run(lines: AsyncIterable<Line>): Promise<void> {
    for await (const line of lines) {
      this.#take(line);
      if (this.#waiting.length === batchSize) await this.#write();
      this.#progress.tell(line.number, line.end);
    }
    if (this.#waiting.length > 0) await this.#write();
  }

  #take({ number, text }: Line): void {
    try {
      if (text === undefined) throw new LineError('Is longer than 64 KiB, or no UTF-8.');
      if (text.trim() !== '') this.#waiting.push(this.#read(number, text));
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      this.#refuse(number, error.message);
    }
  }

  async #write(): Promise<void> {
    const { made, known, foreign } = await importKeys(this.#destination, this.#waiting, this.#isDryRun);
    this.#waiting = [];
    this.totals.made += made;
    this.totals.known += known;
    for (const number of foreign) this.#refuse(number, 'The key belongs to another account.');
    if (this.#pause > 0) await delay(this.#pause);
  }

  #refuse(number: number, why: string): void {
    this.totals.refused += 1;
    this.#progress.say(`line ${number}: ${why}`);
  }
}

const isPipe = (file: string) => file === '-';

/** @throws where the file cannot be read */
function openInput(file: string) {
  const size = isPipe(file) ? undefined : statSync(file).size;
  return { input: isPipe(file) ? process.stdin : createReadStream(file), size };
}

const sentence = ({ made, known, refused }: Totals, isDryRun: boolean) =>
  `${made} ${isDryRun ? 'keys would be imported' : 'keys imported'}, ${known} here already, ${refused} refused\n`;

async function importFile(config: Config, file: string, isDryRun: boolean): Promise<void> {
  const { database: databaseConfig, secrets: keys } = config;
  if (!keys)
    throw new ConfigError(['KEY_PEPPERS and KEY_ENCRYPTION_KEYS must be set, as the service has them']);
  const { input, size } = openInput(file);
  await using database = await openBeside(databaseConfig);
  await assertMigrated(database, databaseConfig);
  const db = new Db(database.em);
  const secrets = createSecrets(keys);
  await assertSecretVersions(db, secrets);
  using progress = new Progress(size);
  const work = new Import({ db, secrets, limits: config }, config, progress, isDryRun);
  try {
    await work.run(readLines(input));
  } finally {
    progress[Symbol.dispose]();
    process.stdout.write(sentence(work.totals, isDryRun));
    if (work.totals.refused > 0) process.exitCode = 1;
  }
}

async function run(file: string, isDryRun: boolean): Promise<void> {
  try {
    await importFile(loadConfig(), file, isDryRun);
  } catch (error) {
    reportConfigError(error);
  }
}

const options = { 'dry-run': { type: 'boolean' } } as const;

const given = readCommandLine({ usage, options, words: 1 });
if (given) await run(given.words[0] as string, given.values['dry-run'] === true);
