import { readCommandLine } from '../config/command-line.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { openDatabase } from '../database/database.ts';
import { Db } from '../database/db.ts';
import { assertMigrated } from '../database/migrate.ts';
import { assertSecretVersions } from '../database/secret-versions.ts';
import { digests } from '../rewrap/digests.ts';
import { type Rewrapping, rewrap } from '../rewrap/rewrap.ts';
import { privateKeys, sealedApiKeys, webhookSecrets } from '../rewrap/sealed-values.ts';
import { createSecrets, type Secrets } from '../secrets/secrets.ts';
import { reportFault } from './report-fault.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Moves the values of one kind and prints the progress. The command fails if a value cannot be read. */
async function run<Row extends { readonly id: number }>(db: Db, kind: Rewrapping<Row>): Promise<void> {
  const total = await kind.count(db);
  const { moved, broken, left } = await rewrap(db, kind, (done) =>
    print(`${kind.what}: ${done} of ${total} moved`),
  );
  print(`${kind.what}: ${moved} moved, ${left} left under older versions`);
  if (left > 0) for (const reason of (await kind.explain?.(db)) ?? []) print(`  ${reason}`);
  if (broken.length === 0) return;
  process.stderr.write(`${kind.what}: rows that cannot be read: ${broken.join(', ')}\n`);
  process.exitCode = 1;
}

async function runAll(db: Db, secrets: Secrets): Promise<void> {
  await run(db, privateKeys(secrets.sealer));
  await run(db, sealedApiKeys(secrets.sealer));
  await run(db, webhookSecrets(secrets.sealer));
  await run(db, digests(secrets));
}

const usage = `Usage: npm run keys:rewrap -- [--help]

Moves stored keys and secrets to the first versions in KEY_PEPPERS and KEY_ENCRYPTION_KEYS, and prints its progress. You
can interrupt it and run it again. With SQLite, stop the service first.

  --help  prints this text
`;

async function rewrapAll(): Promise<void> {
  const { database: config, secrets: keys } = loadConfig();
  if (!keys)
    throw new ConfigError(['KEY_PEPPERS and KEY_ENCRYPTION_KEYS must be set: all is moved to their first']);
  await using database = await openDatabase(config);
  await assertMigrated(database, config);
  const db = new Db(database.em);
  const secrets = createSecrets(keys);
  await assertSecretVersions(db, secrets);
  await runAll(db, secrets);
}

if (readCommandLine({ usage })) await rewrapAll().catch(reportFault);
