import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { createOnServer, databaseConfig } from '../../support/database.ts';
import { queryServer } from '../../support/postgres-service.ts';

let url: string;
let database: Database;
beforeEach(async () => {
  url = await createOnServer(inject('postgresUrl') ?? '', inject('postgresTemplate'));
  database = await openDatabase({ ...databaseConfig(url), poolSize: 1 });
});
afterEach(() => database[Symbol.asyncDispose]());

it('a database that takes writes → no fault', async () => {
  expect(await database.check()).toBeUndefined();
});

/** Lets the server take no more writes into the database, or take them again, and connects anew. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const server = queryServer(inject('postgresUrl') ?? '');
  await server(`alter database ${name} set default_transaction_read_only = ${value}`);
  await database[Symbol.asyncDispose]();
  database = await openDatabase({ ...databaseConfig(url), poolSize: 1 });
}

it('a read-only database → a message, until it takes writes again', async () => {
  await setReadOnly('on');
  expect(await database.check()).toBe('PostgreSQL takes no writes: it is read-only');
  await setReadOnly('off');
  expect(await database.check()).toBeUndefined();
});

it('the database does not answer → the check fails', async () => {
  await queryServer(inject('postgresUrl') ?? '')(
    `drop database ${new URL(url).pathname.slice(1)} with (force)`,
  );
  await expect(database.check()).rejects.toThrow();
});
