import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { assertMigrated, migrate } from '../../../src/database/migrate.ts';
import { createOnServer, databaseConfig } from '../../support/database.ts';
import { queryServer } from '../../support/postgres-service.ts';

const server = inject('postgresUrl') ?? '';
const onServer = queryServer(server);

let url: string;
/** A user who may create tables, and no extension. */
let role: string;
beforeEach(async () => {
  url = await createOnServer(server);
  role = `role_${randomUUID().slice(0, 8)}`;
  await onServer(`create role ${role} login password 'secret'`);
  await queryServer(url)(`grant create on schema public to ${role}`);
});
afterEach(async () => {
  await onServer(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  await onServer(`drop role ${role}`);
});

/** Migrates the database as the user; returns the schema of the index of trigrams' operators, if there is the index. */
const migrateAsRole = async () => {
  const config = databaseConfig(Object.assign(new URL(url), { username: role, password: 'secret' }).href);
  await using database = await openDatabase(config);
  await migrate(database, config);
  await assertMigrated(database, config);
  const indexes = await queryServer(url)(
    "select indexdef from pg_indexes where indexname in ('account_subject', 'account_subject_trigrams') order by indexname",
  );
  return indexes.map(({ indexdef }) => String(indexdef).split(' USING ')[1]);
};

const beginning = 'btree (lower((subject)::text) COLLATE "C")';

it('without the right to create an extension → migrated, without the index of trigrams', async () => {
  expect(await migrateAsRole()).toEqual([beginning]);
});

it('an extension that is not visible to the user → the same', async () => {
  await queryServer(url)('create schema hidden; create extension pg_trgm schema hidden');
  expect(await migrateAsRole()).toEqual([beginning]);
});

it('an extension in a schema that is not in search_path → with the index', async () => {
  await queryServer(url)(
    `create schema extensions; create extension pg_trgm schema extensions; grant usage on schema extensions to ${role}`,
  );
  expect(await migrateAsRole()).toEqual([beginning, 'gin (lower((subject)::text) extensions.gin_trgm_ops)']);
});
