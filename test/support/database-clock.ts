import { inject, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';

/**
 * PostgreSQL's `now()` for tests, which they can set: it stands before PostgreSQL's own in the search path of their
 * databases. Without a row it is the true time.
 */
export const settableClock = `
  create schema clock;
  create table clock.moved (at timestamptz, ahead interval);
  create function clock.now() returns timestamptz language sql stable as $$
    select coalesce(
      (select coalesce(at, pg_catalog.now() + ahead) from clock.moved), pg_catalog.now()
    )
  $$;`;

/** Lets `now()` be {@link settableClock} where a database has it. */
export const searchPath = 'public, clock, pg_catalog';

/** Sets the clock of this process, which must be a fake one, and that of the database: both stand still. */
export async function setClocks(database: Database, at: number | string | Date): Promise<void> {
  vi.setSystemTime(at);
  await setDatabaseClock(database, `'${new Date(at).toISOString()}', null`);
}

/** Sets the database's clock alone, so many seconds ahead of the true time; it goes on from there. */
export const moveDatabaseClock = (database: Database, seconds: number): Promise<void> =>
  setDatabaseClock(database, `null, interval '${seconds} seconds'`);

async function setDatabaseClock(database: Database, values: string): Promise<void> {
  // SQLite's is that of the process.
  if (inject('postgresUrl') === undefined) return;
  await database.em
    .getConnection()
    .execute(`do $$ begin delete from clock.moved; insert into clock.moved values (${values}); end $$`);
}
