import { Migrator } from '@mikro-orm/migrations';
import { loadConfig } from './src/config/load-config.ts';
import { databaseOptions } from './src/database/options.ts';

/** The ORM's options, for its command line (`npm run db:check` and the like). */
export default { ...(await databaseOptions(loadConfig().database)), extensions: [Migrator] };
