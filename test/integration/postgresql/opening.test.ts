import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { ConfigError } from '../../../src/config/config-error.ts';
import { openBeside, openDatabase } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { createOnServer, databaseConfig } from '../../support/database.ts';
import { queryServer } from '../../support/postgres-service.ts';

const onServer = queryServer(inject('postgresUrl') ?? '');
const nameOf = (url: string) => new URL(url).pathname.slice(1);
const unique = (what: string) => `${what}_${randomUUID().slice(0, 8)}`;

let url: string;
/** A user of the database who is given nothing. */
let role: string;
let asRole: string;
beforeEach(async () => {
  url = await createOnServer(inject('postgresUrl') ?? '', inject('postgresTemplate'));
  role = unique('role-');
  await onServer(`create role "${role}" login password 'secret'`);
  asRole = Object.assign(new URL(url), { username: role, password: 'secret' }).href;
});
afterEach(async () => {
  await onServer(`drop database if exists ${nameOf(url)} with (force)`);
  await onServer(`drop role "${role}"`);
});

/** Opens a database, as the service and as a command beside it; both are refused with the same message. */
async function refusal(refused: string): Promise<string> {
  const messages = await Promise.all(
    [openDatabase, openBeside].map(async (open) => {
      const error: unknown = await open(databaseConfig(refused)).then(
        () => undefined,
        (reason) => reason,
      );
      expect(error).toBeInstanceOf(ConfigError);
      return (error as ConfigError).message;
    }),
  );
  expect(messages[1]).toBe(messages[0]);
  return messages[0]?.replace('Keyward cannot start with this configuration:\n  ', '') ?? '';
}

describe('a database that is not UTF8', () => {
  const names = { LATIN1: unique('latin'), SQL_ASCII: unique('ascii') };
  beforeAll(async () => {
    for (const [encoding, name] of Object.entries(names))
      await onServer(`create database ${name} encoding '${encoding}' locale 'C' template template0`);
  });
  afterAll(async () => {
    for (const name of Object.values(names)) await onServer(`drop database ${name}`);
  });

  it.each(Object.entries(names))('%s → refused, and no connection stays open', async (encoding, name) => {
    const refused = Object.assign(new URL(url), { pathname: `/${name}` }).href;
    expect(await refusal(refused)).toBe(
      `DATABASE_URL names a database with the encoding ${encoding}, which cannot store every text: create one with \`createdb --encoding=UTF8 --template=template0 keyward\``,
    );
    const connections = await onServer(`select 1 from pg_stat_activity where datname = '${name}'`);
    expect(connections).toEqual([]);
  });
});

it('a database that does not exist → its own cause is reported, and nobody creates it', async () => {
  const missing = Object.assign(new URL(url), { pathname: '/not_there' }).href;
  expect(await refusal(missing)).toMatch(
    /^DATABASE_URL names a database that does not exist \(3D000\): .*createdb/,
  );
  expect(await onServer("select 1 from pg_database where datname = 'not_there'")).toEqual([]);
});

it('a database that the URL does not name → migrated under its real name', async () => {
  const empty = await createOnServer(inject('postgresUrl') ?? '');
  await queryServer(empty)(`grant create on schema public to "${role}"`);
  vi.stubEnv('PGDATABASE', nameOf(empty));
  const config = databaseConfig(Object.assign(new URL(asRole), { pathname: '' }).href);
  await using database = await openDatabase(config);
  expect((await migrate(database, config)).length).toBeGreaterThan(0);
  vi.unstubAllEnvs();
  await onServer(`drop database ${nameOf(empty)} with (force)`);
});

describe('a search_path without a schema for tables → refused with what to run', () => {
  const at = (path: string) => `${url}?options=-csearch_path%3D${path}`;

  it.each(['', 'nowhere'])('"%s"', async (path) => {
    expect(await refusal(at(path))).toMatch(
      /names no schema that exists and that the user may use: run ALTER ROLE postgres SET search_path = public, or GRANT USAGE/,
    );
  });

  it('a schema that the user may not use', async () => {
    await queryServer(url)('revoke usage on schema public from public');
    await onServer(`alter role "${role}" set search_path = public`);
    expect(await refusal(asRole)).toContain(`GRANT USAGE ON SCHEMA … TO "${role}"`);
  });

  it.each(['pg_temp', 'pg_temp,public', 'pg_catalog', 'information_schema'])('%s', async (path) => {
    expect(await refusal(at(path))).toMatch(
      /begins with a schema of temporary tables or of PostgreSQL itself: run ALTER ROLE/,
    );
  });
});

describe('a user who may not create tables', () => {
  const schema = 'Key "ward"';
  const grant = () => `GRANT CREATE ON SCHEMA "Key ""ward""" TO "${role}"`;
  beforeEach(async () => {
    const query = queryServer(url);
    await query('create schema "Key ""ward"""');
    await query(`grant usage on schema "Key ""ward""" to "${role}"`);
    await onServer(`alter role "${role}" set search_path = 'Key "ward"'`);
  });

  it('cannot migrate, and is told the GRANT to run; after it, can', async () => {
    const config = databaseConfig(asRole);
    await using database = await openDatabase(config);
    const refused = migrate(database, config);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      `DATABASE_URL has a user who may not create tables in the schema ${schema}: run ${grant()}`,
    );
    await queryServer(url)(grant());
    expect((await migrate(database, config)).length).toBeGreaterThan(0);
    await queryServer(url)('drop schema "Key ""ward""" cascade');
  });
});

describe('settings with which data can be lost', () => {
  const risksOf = async (given = url) => {
    await using database = await openDatabase(databaseConfig(given));
    return database.risks;
  };
  const withOption = (option: string) => `${url}?options=-c${option}`;

  it('synchronous_commit=off → a risk, and any other value → none', async () => {
    expect(await risksOf(withOption('synchronous_commit%3Doff'))).toContainEqual(
      expect.stringMatching(
        /\(synchronous_commit=off\).*the last confirmed changes are lost.*ALTER ROLE postgres SET/,
      ),
    );
    for (const value of ['on', 'local', 'remote_write', 'remote_apply'])
      expect((await risksOf(withOption(`synchronous_commit%3D${value}`))).join()).not.toContain(
        'synchronous_commit',
      );
  });

  it.each(['fsync', 'full_page_writes'])('%s=off → a risk if the server has it', async (setting) => {
    const [row] = await onServer(`select current_setting('${setting}') as value`);
    const isTold = (await risksOf()).some((risk) => risk.includes(`(${setting}=off)`));
    expect(isTold).toBe(row?.['value'] === 'off');
  });

  it('UNLOGGED tables → a risk that names them, apart from the one that is so on purpose', async () => {
    expect((await risksOf()).join()).not.toContain('UNLOGGED');
    await queryServer(url)('alter table webhook_clock set unlogged');
    await queryServer(url)('alter table account_use set unlogged');
    expect(await risksOf()).toContainEqual(
      expect.stringContaining(
        'UNLOGGED (account_use, webhook_clock): if PostgreSQL crashes, everything in them is lost',
      ),
    );
  });

  it('a user who may read nothing → opened, with the same risks', async () => {
    expect(await risksOf(asRole)).toEqual(await risksOf());
  });
});
