import { loadConfig, reportConfigError } from '../config.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

try {
  const { database: config } = loadConfig();
  await using database = await openDatabase(config);
  await migrate(database, config);
} catch (error) {
  reportConfigError(error);
}
