import type { MigrationObject } from '@mikro-orm/core';

/** The migrations of a database in their order, by their names: each is loaded where it has to be applied. */
export type MigrationList = Readonly<Record<string, () => Promise<MigrationObject['class']>>>;

/** Those of SQLite: the files in `migrations/sqlite`. */
export const sqliteMigrations: MigrationList = {
  Migration20261121090135: async () =>
    (await import('./migrations/sqlite/Migration20261121090135.ts')).Migration20261121090135,
  Migration20261121125839: async () =>
    (await import('./migrations/sqlite/Migration20261121125839.ts')).Migration20261121125839,
  Migration20261121132403: async () =>
    (await import('./migrations/sqlite/Migration20261121132403.ts')).Migration20261121132403,
  Migration20261122043110: async () =>
    (await import('./migrations/sqlite/Migration20261122043110.ts')).Migration20261122043110,
  Migration20261122054304: async () =>
    (await import('./migrations/sqlite/Migration20261122054304.ts')).Migration20261122054304,
  Migration20261122124118_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122124118_compatible.ts'))
      .Migration20261122124118_compatible,
  Migration20261122124632_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122124632_compatible.ts'))
      .Migration20261122124632_compatible,
  Migration20261122134204_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122134204_compatible.ts'))
      .Migration20261122134204_compatible,
  Migration20261122152739_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122152739_compatible.ts'))
      .Migration20261122152739_compatible,
  Migration20261122154245_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122154245_compatible.ts'))
      .Migration20261122154245_compatible,
  Migration20261122155028_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122155028_compatible.ts'))
      .Migration20261122155028_compatible,
  Migration20261122163252_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122163252_compatible.ts'))
      .Migration20261122163252_compatible,
  Migration20261122185329_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122185329_compatible.ts'))
      .Migration20261122185329_compatible,
  Migration20261122190209_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122190209_compatible.ts'))
      .Migration20261122190209_compatible,
  Migration20261122190240_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122190240_compatible.ts'))
      .Migration20261122190240_compatible,
  Migration20261122191707_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261122191707_compatible.ts'))
      .Migration20261122191707_compatible,
};

/** Those of PostgreSQL: the files in `migrations/postgresql`. */
export const postgresMigrations: MigrationList = {
  Migration20261121094425: async () =>
    (await import('./migrations/postgresql/Migration20261121094425.ts')).Migration20261121094425,
  Migration20261121125844: async () =>
    (await import('./migrations/postgresql/Migration20261121125844.ts')).Migration20261121125844,
  Migration20261121132408: async () =>
    (await import('./migrations/postgresql/Migration20261121132408.ts')).Migration20261121132408,
  Migration20261121151000: async () =>
    (await import('./migrations/postgresql/Migration20261121151000.ts')).Migration20261121151000,
  Migration20261122043115: async () =>
    (await import('./migrations/postgresql/Migration20261122043115.ts')).Migration20261122043115,
  Migration20261122054714: async () =>
    (await import('./migrations/postgresql/Migration20261122054714.ts')).Migration20261122054714,
  Migration20261122081900_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122081900_compatible.ts'))
      .Migration20261122081900_compatible,
  Migration20261122124121_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122124121_compatible.ts'))
      .Migration20261122124121_compatible,
  Migration20261122124635_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122124635_compatible.ts'))
      .Migration20261122124635_compatible,
  Migration20261122134206_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122134206_compatible.ts'))
      .Migration20261122134206_compatible,
  Migration20261122141800_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122141800_compatible.ts'))
      .Migration20261122141800_compatible,
  Migration20261122152740_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122152740_compatible.ts'))
      .Migration20261122152740_compatible,
  Migration20261122154248_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122154248_compatible.ts'))
      .Migration20261122154248_compatible,
  Migration20261122155031_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122155031_compatible.ts'))
      .Migration20261122155031_compatible,
  Migration20261122163257_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122163257_compatible.ts'))
      .Migration20261122163257_compatible,
  Migration20261122185330_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122185330_compatible.ts'))
      .Migration20261122185330_compatible,
  Migration20261122190213_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122190213_compatible.ts'))
      .Migration20261122190213_compatible,
  Migration20261122190300_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122190300_compatible.ts'))
      .Migration20261122190300_compatible,
  Migration20261122191709_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261122191709_compatible.ts'))
      .Migration20261122191709_compatible,
};
