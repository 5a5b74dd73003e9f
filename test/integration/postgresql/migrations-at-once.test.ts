import { expect, inject, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
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
