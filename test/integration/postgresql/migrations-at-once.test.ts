import { Migration } from '@mikro-orm/migrations';
import { expect, inject, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { postgresMigrations } from '../../../src/database/migration-lists.ts';
import { createOnServer, databaseConfig } from '../../support/database.ts';

const server = inject('postgresUrl') ?? '';

it('a newer version migrates while this one waits → refused', async () => {
  const config = databaseConfig(await createOnServer(server));
  await using database = await openDatabase(config);
  const { waiting } = await database.em.fork().transactional(async (em) => {
    await em.execute('select pg_advisory_xact_lock(1801812343)');
    const waiting = migrate(database, config);
    waiting.catch(() => {});
    const waits = "select 1 from pg_locks where locktype = 'advisory' and not granted";
    while ((await database.em.fork().execute(waits)).length === 0);
    await em.execute(
      'create table mikro_orm_migrations (id serial primary key, name varchar(255), executed_at timestamptz)',
    );
    await em.execute("insert into mikro_orm_migrations (name) values ('Migration20991231000000')");
    return { waiting };
  });
  await expect(waiting).rejects.toThrow('newer than this version (Migration20991231000000)');
});

/** A migration that changes two tables, one after the other. */
class Migration20991231000000 extends Migration {
  override up(): void {
    this.addSql('alter table account add later int null');
    this.addSql('alter table api_key add later int null');
  }
}

it('a request holds the table that a migration wants next, and wants the one that it has → both go on', async () => {
  const config = databaseConfig(await createOnServer(server));
  await using database = await openDatabase(config);
  await migrate(database, config);
  const name = 'Migration20991231000000';
  Object.assign(postgresMigrations, { [name]: async () => ({ Migration20991231000000 }) });
  // Other tests of this process must not find it.
  using _last = { [Symbol.dispose]: () => Reflect.deleteProperty(postgresMigrations, name) };
  const { migrating } = await database.em.fork().transactional(async (em) => {
    await em.execute('select 1 from api_key');
    const migrating = migrate(database, config);
    migrating.catch(() => {});
    const waits = "select 1 from pg_locks where relation = 'api_key'::regclass and not granted";
    while ((await database.em.fork().execute(waits)).length === 0);
    await em.execute('select 1 from account');
    return { migrating };
  });
  expect(await migrating).toEqual(['Migration20991231000000']);
});
