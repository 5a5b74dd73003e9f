import { ConfigError, loadConfig } from '../config.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

try {
  const { database: config } = loadConfig();
  await using database = await openDatabase(config);
  await migrate(database, config);
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
