import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { postgresMigrations, sqliteMigrations } from '../../src/database/migration-lists.ts';
import { root } from '../support/process.ts';

/** The SHA-256 of each migration. A new one is added; none is ever changed: somewhere it was applied as it was. */
const landed = {
  postgresql: {
    'Migration20261123090000.ts': 'ba1ce40ead3c38fa974b6fa67b46fe9aa36784d6ed2741b4537740c340a46343',
  },
  sqlite: {
    'Migration20261123090000.ts': 'f298dcb7c2704beecca367a9443186c2d1521b8c6f1c81ef1701ffa10a947cdd',
  },
};

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

it.each(Object.entries(landed))('of %s are never edited once they have landed', (database, digests) => {
  const files = globSync(join(root, 'src/database/migrations', database, '*.ts'));
  const found = files.map((file) => [basename(file), digest(file)]);
  expect(Object.fromEntries(found)).toEqual(digests);
});

/** The statements of a migration that are not an index and nothing else: a unique one may refuse a row. */
const beyondIndexes = (statements: readonly string[]): readonly string[] =>
  statements.filter(
    (sql) => !/^create index (concurrently )?(if not exists )?("\w+"|`\w+`) on [^;]+;?$/i.test(sql),
  );

describe('a migration that older versions can live with', () => {
  const all = [...Object.entries(sqliteMigrations), ...Object.entries(postgresMigrations)];

  it.each(all)(
    'adds indexes and nothing else, where its name says that it is one: %s',
    async (name, load) => {
      const migration = new (await load())(undefined as never, undefined as never);
      await migration.up();
      const statements = (migration.getQueries?.() ?? []).map(String);
      expect(statements).not.toEqual([]);
      if (name.endsWith('_compatible')) expect(beyondIndexes(statements)).toEqual([]);
    },
  );

  it.each([
    'create index "api_key_name" on "api_key" ("name");',
    'create index `api_key_name` on `api_key` (`name`);',
    'create index concurrently "a" on "api_key" ("name") where "is_active"',
  ])('may have %s', (sql) => {
    expect(beyondIndexes([sql])).toEqual([]);
  });

  it.each([
    'alter table "api_key" add column "blocked_at" timestamptz null;',
    'create table "plan" ("id" serial primary key);',
    'create unique index "a" on "api_key" ("name");',
    'create trigger "a" before insert on "api_key" begin select 1; end',
    'update "api_key" set "is_active" = false;',
    'drop index "api_key_name";',
    'create index "a" on "b" ("c"); drop table "b";',
  ])('may not have %s', (sql) => {
    expect(beyondIndexes([sql])).toEqual([sql]);
  });
});
