import { createWriteStream, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { toldParts } from '../api-keys/key-parts.ts';
import { quotaColumns } from '../api-keys/own-api-key.ts';
import { readCommandLine } from '../config/command-line.ts';
import { reportConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { openBeside } from '../database/database.ts';
import { Db } from '../database/db.ts';
import { assertMigrated } from '../database/migrate.ts';
import { prepareQuery } from '../database/prepare-query.ts';
import { ApiKey } from '../database/tables.ts';

/** How many keys are read at once. */
const pageSize = 500;

const selectPage = prepareQuery(ApiKey, (db, { after }: { readonly after: number }) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .leftJoin('api_key_quota', 'api_key_quota.api_key_id', 'api_key.id')
    .selectAll('api_key')
    .select(['account.issuer', 'account.subject'])
    .select(quotaColumns)
    .where('api_key.id', '>', after)
    .orderBy('api_key.id')
    .limit(pageSize),
);

type Row = Awaited<ReturnType<typeof selectPage>>[number];

/** A key as a line that `keys:import` takes, but for its secret. */
function lineOf(key: Row): string {
  const { permissions, metadata, allowedAddresses, rateLimit } = toldParts(key);
  return `${JSON.stringify({
    issuer: key.issuer,
    subject: key.subject,
    name: key.name,
    key_prefix: key.keyPrefix,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    permissions,
    metadata,
    allowed_addresses: allowedAddresses,
    rate_limit: rateLimit && { limit: rateLimit.limit, window_seconds: rateLimit.windowSeconds },
    quota: key.quotaUnits === null ? null : { limit: key.quotaUnits, refill: key.quotaRefill },
    is_active: key.isActive,
  })}\n`;
}

/** All keys in the order of their ids, a page at a time: one that is there throughout is there once. */
async function* readKeys(db: Db): AsyncGenerator<string> {
  let after = 0;
  for (;;) {
    const rows = await selectPage(db, { after });
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(lineOf).join('');
    after = last.id;
  }
}

const usage = `Usage: npm run keys:export -- FILE

Writes what can be written of all API keys to a new file, or to the standard output for -: one JSON object a line, with
the members that npm run keys:import takes. No secret and no digest is among them. It works beside the running service,
and needs its DATA_DIR or DATABASE_URL.

  --help  prints this text
`;

/** Where a file is made, nothing is left of it if that fails. */
async function write(lines: AsyncIterable<string>, file: string): Promise<void> {
  if (file === '-') return pipeline(Readable.from(lines), process.stdout, { end: false });
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    await pipeline(Readable.from(lines), out);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(file, { force: true });
    throw error;
  }
}

async function run(file: string): Promise<void> {
  try {
    const config = loadConfig();
    await using database = await openBeside(config.database);
    await assertMigrated(database, config.database);
    await write(readKeys(new Db(database.em)), file);
  } catch (error) {
    reportConfigError(error);
  }
}

const given = readCommandLine({ usage, words: 1 });
if (given) await run(given.words[0] as string);
