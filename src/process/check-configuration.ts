import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { configSummary } from '../config/summary.ts';
import { isPostgres, openBeside } from '../database/database.ts';
import { Db } from '../database/db.ts';
import { assertMigrated } from '../database/migrate.ts';
import { sqliteFile } from '../database/sqlite/file.ts';
import type { Plans } from '../operations/context.ts';
import { readMessages } from '../pages/messages/read-messages.ts';
import { createProviderLook } from '../pages/provider-look.ts';
import { readPlans } from '../plans/plans-file.ts';
import { countUnknown } from '../plans/unknown-plans.ts';

/** Counts the accounts with an unknown plan; undefined if the database is not there, or is an older one. */
async function countIn({ database }: Config, plans: Plans): Promise<number | undefined> {
  // Opening a file that does not exist would not tell more.
  if (!isPostgres(database) && !existsSync(sqliteFile(database))) return 0;
  try {
    await using opened = await openBeside(database);
    await assertMigrated(opened, database);
    return await countUnknown(new Db(opened.em), plans);
  } catch {
    return undefined;
  }
}

const accounts = (count: number): string =>
  count === 1 ? '1 account has a plan that is' : `${count} accounts have a plan that is`;

/** Describes the plans in one sentence. */
async function plansSummary(config: Config, plans: Plans): Promise<string> {
  const count = await countIn(config, plans);
  const names = [...plans.grants.keys()].join(', ');
  const found =
    count === undefined
      ? 'The database cannot be asked how many accounts have a plan that is not among them'
      : `${accounts(count)} not among them`;
  return ` Plans: ${names}; ${plans.usual} is the default. ${found}.`;
}

/**
 * Checks the configuration, the plans, the logo and the provider's texts, and prints that they are good.
 * @throws {ConfigError} that names the faults of the plans, of the logo, or of a text
 */
export async function checkConfiguration(config: Config): Promise<void> {
  const plans = readPlans(config.plansFile);
  await createProviderLook(config.pages);
  readMessages(config.pages);
  const more = plans ? await plansSummary(config, plans) : '';
  process.stdout.write(`${configSummary(config, more)}\n`);
}
