import type { MigrationObject } from '@mikro-orm/core';

/**
 * The migrations of a database, by name and in order: each loads the file of its name, with a class of that name. It
 * loads only if the migration must be applied.
 */
export type MigrationList = Readonly<Record<string, () => Promise<Record<string, MigrationObject['class']>>>>;

/** The migrations of SQLite: the files in `migrations/sqlite`. */
export const sqliteMigrations: MigrationList = {
  Migration20261123090000: () => import('./migrations/sqlite/Migration20261123090000.ts'),
  Migration20261123170418: () => import('./migrations/sqlite/Migration20261123170418.ts'),
  Migration20261123171000: () => import('./migrations/sqlite/Migration20261123171000.ts'),
  Migration20261123173502_compatible: () =>
    import('./migrations/sqlite/Migration20261123173502_compatible.ts'),
  Migration20261123181502: () => import('./migrations/sqlite/Migration20261123181502.ts'),
  Migration20261123183500: () => import('./migrations/sqlite/Migration20261123183500.ts'),
  Migration20261125110000: () => import('./migrations/sqlite/Migration20261125110000.ts'),
  Migration20261125150000: () => import('./migrations/sqlite/Migration20261125150000.ts'),
  Migration20261125161000_compatible: () =>
    import('./migrations/sqlite/Migration20261125161000_compatible.ts'),
  Migration20261125221129: () => import('./migrations/sqlite/Migration20261125221129.ts'),
  Migration20261126042000: () => import('./migrations/sqlite/Migration20261126042000.ts'),
  Migration20261126043000_compatible: () =>
    import('./migrations/sqlite/Migration20261126043000_compatible.ts'),
  Migration20261126062625: () => import('./migrations/sqlite/Migration20261126062625.ts'),
  Migration20261127010000: () => import('./migrations/sqlite/Migration20261127010000.ts'),
  Migration20261127070000: () => import('./migrations/sqlite/Migration20261127070000.ts'),
  Migration20261127180000: () => import('./migrations/sqlite/Migration20261127180000.ts'),
  Migration20261128090000: () => import('./migrations/sqlite/Migration20261128090000.ts'),
  Migration20261129030000: () => import('./migrations/sqlite/Migration20261129030000.ts'),
  Migration20261129040000: () => import('./migrations/sqlite/Migration20261129040000.ts'),
};

/** The migrations of PostgreSQL: the files in `migrations/postgresql`. */
export const postgresMigrations: MigrationList = {
  Migration20261123090000: () => import('./migrations/postgresql/Migration20261123090000.ts'),
  Migration20261123170420: () => import('./migrations/postgresql/Migration20261123170420.ts'),
  Migration20261123171000: () => import('./migrations/postgresql/Migration20261123171000.ts'),
  Migration20261123173504_compatible: () =>
    import('./migrations/postgresql/Migration20261123173504_compatible.ts'),
  Migration20261123181504: () => import('./migrations/postgresql/Migration20261123181504.ts'),
  Migration20261123183500: () => import('./migrations/postgresql/Migration20261123183500.ts'),
  Migration20261125110000: () => import('./migrations/postgresql/Migration20261125110000.ts'),
  Migration20261125150000: () => import('./migrations/postgresql/Migration20261125150000.ts'),
  Migration20261125161000_compatible: () =>
    import('./migrations/postgresql/Migration20261125161000_compatible.ts'),
  Migration20261125221129: () => import('./migrations/postgresql/Migration20261125221129.ts'),
  Migration20261126042000: () => import('./migrations/postgresql/Migration20261126042000.ts'),
  Migration20261126043000_compatible: () =>
    import('./migrations/postgresql/Migration20261126043000_compatible.ts'),
  Migration20261126062626: () => import('./migrations/postgresql/Migration20261126062626.ts'),
  Migration20261127010000: () => import('./migrations/postgresql/Migration20261127010000.ts'),
  Migration20261127070000: () => import('./migrations/postgresql/Migration20261127070000.ts'),
  Migration20261127180000: () => import('./migrations/postgresql/Migration20261127180000.ts'),
  Migration20261127230000: () => import('./migrations/postgresql/Migration20261127230000.ts'),
  Migration20261128090000: () => import('./migrations/postgresql/Migration20261128090000.ts'),
  Migration20261129030000: () => import('./migrations/postgresql/Migration20261129030000.ts'),
  Migration20261129040000: () => import('./migrations/postgresql/Migration20261129040000.ts'),
};
