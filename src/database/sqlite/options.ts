import { SqliteDriver } from '@mikro-orm/sqlite';
import type { DatabaseConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { Backend, Warn } from '../backend.ts';
import { SqliteDialect } from './driver.ts';
import { describeFault, isFile, onlyName, refuseLinks, sqliteFile } from './file.ts';
import { HeldFile } from './held-file.ts';
import { whenFree } from './writer.ts';

/** The backend for SQLite: a file that only this process uses (a missing file is made), or a database in memory. */
export function sqliteOptions(config: DatabaseConfig, warn: Warn): Backend {
  const file = sqliteFile(config);
  let held: HeldFile | undefined;
  const dialect = new SqliteDialect({
    file,
    idle: config.timeouts.idleInTransaction,
    watch: (writer) => held?.watch(writer),
  });
  const hold = () => {
    held = new HeldFile(file, warn);
    return held;
  };
  return {
    assertThere: () => assertThere(file),
    dialect,
    options: { driver: SqliteDriver, dbName: file, driverOptions: dialect },
    check: () => check(dialect, held),
    refuse: (error) => refuseFile(error, file),
    ...(file !== ':memory:' && { hold, walSize: () => held?.logSize ?? 0 }),
  };
}

function assertThere(file: string): void {
  if (!isFile(file))
    throw new ConfigError([
      `DATABASE_URL (or DATA_DIR) names ${file}, which is not there: start Keyward once`,
    ]);
  refuseLinks(file);
  onlyName(file);
}

/** Describes a present fault of the database: it refuses writes if its file is no longer the opened one. */
async function check(
  { connections }: SqliteDialect,
  held: HeldFile | undefined,
): Promise<string | undefined> {
  try {
    held?.assertWhole();
  } catch (error) {
    return `SQLite takes no writes: ${(error as Error).message}`;
  }
  await whenFree(() => connections?.reader.pragma('schema_version'));
  return undefined;
}

/**
 * Describes why a file is unusable, by SQLite's or the operating system's error code.
 * @throws {ConfigError} or the error itself, if the error does not concern the file
 */
function refuseFile(error: Error & { readonly code?: unknown }, file: string): never {
  const fault = describeFault(error, file);
  if (fault === undefined) throw error;
  throw new ConfigError([`DATABASE_URL (or DATA_DIR) names a file that cannot be used: ${fault}`], {
    cause: error,
  });
}
