import { Migrator } from '@mikro-orm/migrations';
import { loadConfig } from './src/config/load-config.ts';
import { backendOf, databaseOptions, isPostgres } from './src/database/database.ts';

const { database } = loadConfig();
const options = databaseOptions(await backendOf(database));

/** The ORM's options, for its command line (`npm run db:check` and the like). */
export default {
  ...options,
  migrations: {
    ...options.migrations,
    path: `src/database/migrations/${isPostgres(database) ? 'postgresql' : 'sqlite'}`,
    emit: 'ts',
    snapshotName: 'schema-snapshot',
  },
  extensions: [Migrator],
};
