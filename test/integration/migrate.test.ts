import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { DatabaseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { assertMigrated, lastBefore, migrate, newerChanges } from '../../src/database/migrate.ts';
import { postgresMigrations, sqliteMigrations } from '../../src/database/migration-lists.ts';
import { createOnServer, databaseConfig, writerOf } from '../support/database.ts';
import { createTemporaryFolder, root } from '../support/process.ts';

const server = inject('postgresUrl');

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let config: DatabaseConfig;
let database: Database;
/** @param template the database on the server that it is a copy of: an empty one, unless told otherwise */
const open = async (template?: string) => {
  config = databaseConfig(
    server === undefined
      ? `sqlite:${join(folder.path, 'keyward.db')}`
      : await createOnServer(server, template),
  );
  database = await openDatabase(config);
};

/** Begins with an empty database. */
const beginEmpty = async () => {
  // SQLite's is empty; to migrate one of PostgreSQL takes longer than to copy one.
  if (server === undefined) return;
  await database[Symbol.asyncDispose]();
  await open();
};

beforeEach(async () => {
  folder = await createTemporaryFolder();
  await open(inject('postgresTemplate'));
});
afterEach(async () => {
  await database[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const insert = "insert into account (issuer, subject, created_at) values ('i', 'somebody', '2026-01-31')";
const run = (statement: string) => database.em.fork().execute(statement);

const applied = async () => (await run('select name from mikro_orm_migrations')).map(({ name }) => name);

describe('a schema that is older', () => {
  const sentence =
    'Keyward cannot start with this configuration:\n' +
    '  DATABASE_URL names a database whose schema is older than this version: run `npm run db:migrate`, or set DATABASE_MIGRATE=auto';

  it('an empty database → refused with what to do', async () => {
    await beginEmpty();
    const refused = assertMigrated(database, config);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(sentence);
    await expect(run('select * from account')).rejects.toThrow();
  });

  it('the last migration is missing → refused', async () => {
    await migrate(database, config);
    const [last] = (await applied()).toSorted().toReversed();
    await run(`delete from mikro_orm_migrations where name = '${last}'`);
    await expect(assertMigrated(database, config)).rejects.toThrow(sentence);
  });
});

const add = (name: string) =>
  run(`insert into mikro_orm_migrations (name, executed_at) values ('${name}', current_timestamp)`);

describe('a schema that is newer', () => {
  it.each([
    ['at a check', assertMigrated],
    ['by a migration', migrate],
  ])('refused with what to do: %s', async (_what, prepare) => {
    await migrate(database, config);
    await add('Migration20991231000000');
    await add('Migration20991231000001_compatible');
    const refused = prepare(database, config);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      'Keyward cannot start with this configuration:\n' +
        '  DATABASE_URL names a database whose schema is newer than this version (Migration20991231000000): start the version that has migrated it, or a later one',
    );
  });

  it('a refused migration changes nothing', async () => {
    await migrate(database, config);
    const [last = ''] = (await applied()).toSorted().toReversed();
    await run(`delete from mikro_orm_migrations where name = '${last}'`);
    await add('Migration20991231000000');
    const before = await applied();
    await expect(migrate(database, config)).rejects.toThrow(ConfigError);
    expect(await applied()).toEqual(before);
  });

  it('only migrations that are compatible with older versions → works', async () => {
    await migrate(database, config);
    await add('Migration20991231000001_compatible');
    await migrate(database, config);
    await assertMigrated(database, config);
    await run(insert);
  });
});

describe('a schema from before the first migration', () => {
  const old = 'Migration20261121090135';
  const sentence =
    'Keyward cannot start with this configuration:\n' +
    `  DATABASE_URL names a database that was last migrated before Migration20261123090000, with which this version begins: update it with \`npm run db:migrate\` of commit ${lastBefore}, and then with this version's`;

  it.each([
    ['at a check', assertMigrated],
    ['by a migration', migrate],
  ])('refused, and the version that can update it is named: %s', async (_what, prepare) => {
    await migrate(database, config);
    await run('delete from mikro_orm_migrations');
    await add(old);
    await expect(prepare(database, config)).rejects.toThrow(ConfigError);
    await expect(prepare(database, config)).rejects.toThrow(sentence);
    expect(await applied()).toEqual([old]);
  });

  it('that version has updated it → works', async () => {
    await migrate(database, config);
    await add(old);
    await assertMigrated(database, config);
    expect(await migrate(database, config)).toEqual([]);
  });
});

/** What `npm run db:migrate` of the commit before the first migration here runs, and the names that it stores. */
const before = join(
  root,
  'test/support/before-first-migration',
  server === undefined ? 'sqlite.sql' : 'postgresql.sql',
);

describe('a schema with all migrations from before the first one', () => {
  const migrationsTable =
    server === undefined
      ? "create table mikro_orm_migrations (id integer not null primary key autoincrement, name text not null, executed_at datetime not null default (strftime('%s', 'now') * 1000))"
      : 'create table mikro_orm_migrations (id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6))';

  /** A database of that commit, in which somebody has a key. */
  async function createOld(): Promise<void> {
    await beginEmpty();
    const statements = `${migrationsTable};\n${readFileSync(before, 'utf8')}\n${insert};
      insert into api_key (account_id, key_prefix, created_at) values (1, 'sk-a1b2c3', '2026-01-31');
      insert into audit_event (account_id, action, request, created_at) values (1, 'api-key-created', 'r', '2026-01-31');`;
    if (server === undefined) writerOf(database).exec(statements);
    else await run(statements);
  }

  it('is recognised, and updated with all its data', async () => {
    await createOld();
    await expect(assertMigrated(database, config)).rejects.toThrow('run `npm run db:migrate`');
    const names = await migrate(database, config);
    const list = Object.keys(server === undefined ? sqliteMigrations : postgresMigrations);
    expect(names).toEqual(list.slice(1));
    expect((await applied()).toSorted()).toEqual(list);
    await assertMigrated(database, config);
    // What the ORM would change is the same as on a new database.
    const another = databaseConfig(server === undefined ? 'sqlite::memory:' : await createOnServer(server));
    await using fresh = await openDatabase(another);
    await migrate(fresh, another);
    const changes = await fresh.schema.getUpdateSchemaSQL({ wrap: false });
    expect(await database.schema.getUpdateSchemaSQL({ wrap: false })).toBe(changes);
    expect(await run('select account_id, key_prefix from api_key')).toEqual([
      { account_id: 1, key_prefix: 'sk-a1b2c3' },
    ]);
    expect(await run('select action from audit_event')).toEqual([{ action: 'api-key-created' }]);
    // Whoever had an account is a person.
    expect(await run('select kind from account')).toEqual([{ kind: 'person' }]);
    expect(await run('select created_by from api_key')).toEqual([{ created_by: null }]);
    // The index of subjects has the accounts from before: otherwise this fails.
    if (server === undefined)
      await run("insert into account_search (account_search, rank) values ('integrity-check', 1)");
  });

  it('somebody has changed it → refused, and nothing changes', async () => {
    await createOld();
    await run('alter table api_key add column own_note text');
    const names = await applied();
    await expect(migrate(database, config)).rejects.toThrow('somebody has changed them');
    expect(await applied()).toEqual(names);
    expect(await run('select * from api_key_lease')).toEqual([]);
  });

  it('the update fails in the middle → nothing changes', async () => {
    await createOld();
    await run('create index account_being_erased on account (created_at)');
    const names = await applied();
    await expect(migrate(database, config)).rejects.toThrow();
    expect(await applied()).toEqual(names);
    await expect(run('select is_being_erased from account')).rejects.toThrow();
  });
});

describe('a newer version migrates while this one runs', () => {
  it('an incompatible migration → why this version cannot continue', async () => {
    await migrate(database, config);
    expect(await newerChanges(database, config)).toBeUndefined();
    await add('Migration20991231000001_compatible');
    expect(await newerChanges(database, config)).toBeUndefined();
    await add('Migration20991231000000');
    expect(await newerChanges(database, config)).toBe(
      'its schema is newer than this version (Migration20991231000000)',
    );
  });
});

it.each([
  ['sqlite', sqliteMigrations],
  ['postgresql', postgresMigrations],
])('the list of %s has every migration, in order', (name, list) => {
  const files = globSync(`src/database/migrations/${name}/*.ts`, { cwd: root });
  expect(Object.keys(list)).toEqual(files.map((file) => basename(file, '.ts')).toSorted());
});

describe('migrate', () => {
  it('brings an empty schema up to date', async () => {
    await beginEmpty();
    await migrate(database, config);
    await assertMigrated(database, config);
    await run(insert);
    expect(await run('select subject from account')).toEqual([{ subject: 'somebody' }]);
  });

  it('an up-to-date schema and its data → unchanged', async () => {
    await migrate(database, config);
    await run(insert);
    const before = await applied();
    await migrate(database, config);
    expect(await applied()).toEqual(before);
    expect(before).not.toEqual([]);
    expect(await run('select subject from account')).toEqual([{ subject: 'somebody' }]);
  });

  it('works with a pool of one connection', async () => {
    await beginEmpty();
    await using narrow = await openDatabase({
      ...(server === undefined ? databaseConfig('sqlite::memory:') : config),
      poolSize: 1,
    });
    await migrate(narrow, config);
    await assertMigrated(narrow, config);
  });
});
