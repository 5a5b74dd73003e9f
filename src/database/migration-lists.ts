import type { MigrationObject } from '@mikro-orm/core';

/** The migrations of a database, by name and in order. A migration loads only if it must be applied. */
export type MigrationList = Readonly<Record<string, () => Promise<MigrationObject['class']>>>;

/** The migrations of SQLite: the files in `migrations/sqlite`. */
export const sqliteMigrations: MigrationList = {
  Migration20261123090000: async () =>
    (await import('./migrations/sqlite/Migration20261123090000.ts')).Migration20261123090000,
  Migration20261123170418: async () =>
    (await import('./migrations/sqlite/Migration20261123170418.ts')).Migration20261123170418,
  Migration20261123171000: async () =>
    (await import('./migrations/sqlite/Migration20261123171000.ts')).Migration20261123171000,
  Migration20261123173502_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261123173502_compatible.ts'))
      .Migration20261123173502_compatible,
  Migration20261123181502: async () =>
    (await import('./migrations/sqlite/Migration20261123181502.ts')).Migration20261123181502,
  Migration20261123183500: async () =>
    (await import('./migrations/sqlite/Migration20261123183500.ts')).Migration20261123183500,
  Migration20261125110000: async () =>
    (await import('./migrations/sqlite/Migration20261125110000.ts')).Migration20261125110000,
  Migration20261125150000: async () =>
    (await import('./migrations/sqlite/Migration20261125150000.ts')).Migration20261125150000,
  Migration20261125161000_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261125161000_compatible.ts'))
      .Migration20261125161000_compatible,
  Migration20261125221129: async () =>
    (await import('./migrations/sqlite/Migration20261125221129.ts')).Migration20261125221129,
  Migration20261126042000: async () =>
    (await import('./migrations/sqlite/Migration20261126042000.ts')).Migration20261126042000,
  Migration20261126043000_compatible: async () =>
    (await import('./migrations/sqlite/Migration20261126043000_compatible.ts'))
      .Migration20261126043000_compatible,
  Migration20261126062625: async () =>
    (await import('./migrations/sqlite/Migration20261126062625.ts')).Migration20261126062625,
};

/** The migrations of PostgreSQL: the files in `migrations/postgresql`. */
export const postgresMigrations: MigrationList = {
  Migration20261123090000: async () =>
    (await import('./migrations/postgresql/Migration20261123090000.ts')).Migration20261123090000,
  Migration20261123170420: async () =>
    (await import('./migrations/postgresql/Migration20261123170420.ts')).Migration20261123170420,
  Migration20261123171000: async () =>
    (await import('./migrations/postgresql/Migration20261123171000.ts')).Migration20261123171000,
  Migration20261123173504_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261123173504_compatible.ts'))
      .Migration20261123173504_compatible,
  Migration20261123181504: async () =>
    (await import('./migrations/postgresql/Migration20261123181504.ts')).Migration20261123181504,
  Migration20261123183500: async () =>
    (await import('./migrations/postgresql/Migration20261123183500.ts')).Migration20261123183500,
  Migration20261125110000: async () =>
    (await import('./migrations/postgresql/Migration20261125110000.ts')).Migration20261125110000,
  Migration20261125150000: async () =>
    (await import('./migrations/postgresql/Migration20261125150000.ts')).Migration20261125150000,
  Migration20261125161000_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261125161000_compatible.ts'))
      .Migration20261125161000_compatible,
  Migration20261125221129: async () =>
    (await import('./migrations/postgresql/Migration20261125221129.ts')).Migration20261125221129,
  Migration20261126042000: async () =>
    (await import('./migrations/postgresql/Migration20261126042000.ts')).Migration20261126042000,
  Migration20261126043000_compatible: async () =>
    (await import('./migrations/postgresql/Migration20261126043000_compatible.ts'))
      .Migration20261126043000_compatible,
  Migration20261126062626: async () =>
    (await import('./migrations/postgresql/Migration20261126062626.ts')).Migration20261126062626,
};
