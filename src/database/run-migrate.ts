import { reportConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load-config.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

try {
  const { database: config } = loadConfig();
  await using database = await openDatabase(config);
  await migrate(database, config);
} catch (error) {
  reportConfigError(error);
}
