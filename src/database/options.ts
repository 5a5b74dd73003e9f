import { join } from 'node:path';
import { Migrator } from '@mikro-orm/migrations';
import { defineConfig } from '@mikro-orm/sqlite';
import { Account } from '../accounts/account.entity.ts';
import { ApiKey } from '../api-keys/api-key.entity.ts';
import { AutomationSettings } from '../automation-settings/automation-settings.entity.ts';
import { PrivateKey } from '../private-key/private-key.entity.ts';

/**
 * The ORM's options, for the service and for the ORM's command line alike.
 * @param file the path of the SQLite file, or `:memory:`
 */
export const databaseOptions = (file: string) =>
  defineConfig({
    dbName: file,
    entities: [Account, ApiKey, PrivateKey, AutomationSettings],
    extensions: [Migrator],
    migrations: {
      path: join(import.meta.dirname, 'migrations'),
      emit: 'ts',
      snapshotName: 'schema-snapshot',
      snapshotOnMigrate: false,
      silent: true,
    },
    logger: () => {},
  });
