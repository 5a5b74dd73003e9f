import type { MigrationObject } from '@mikro-orm/core';

/** The migrations of a database, by name and in order. A migration loads only if it must be applied. */
export type MigrationList = Readonly<Record<string, () => Promise<MigrationObject['class']>>>;

/** The migrations of SQLite: the files in `migrations/sqlite`. */
export const sqliteMigrations: MigrationList = {
  Migration20261123090000: async () =>
    (await import('./migrations/sqlite/Migration20261123090000.ts')).Migration20261123090000,
};

/** The migrations of PostgreSQL: the files in `migrations/postgresql`. */
export const postgresMigrations: MigrationList = {
  Migration20261123090000: async () =>
    (await import('./migrations/postgresql/Migration20261123090000.ts')).Migration20261123090000,
};
