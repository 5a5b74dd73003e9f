import { expect, it, vi } from 'vitest';
import { KeyUsage } from '../../../src/api-keys/usage/key-usage.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { Db } from '../../../src/database/db.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { databaseConfig } from '../../support/database.ts';

it('at most 100,000 counts wait, and 200 are written in a transaction', async () => {
  const config = databaseConfig('sqlite::memory:');
  await using database = await openDatabase(config);
  await migrate(database, config);
  const db = new Db(database.em);
  const run = vi.spyOn(db, 'transaction').mockRejectedValue(new Error('the database is down'));
  const failures: unknown[] = [];
  await using usage = new KeyUsage(db, 90, (error) => failures.push(error));
  const noteAll = () => {
    for (let id = 1; id <= 200_000; id += 1)
      usage.note({ keyId: id, secretId: id, at: new Date(id), outcome: 'valid' });
  };
  noteAll();
  await usage.write();
  noteAll();
  expect(failures).toHaveLength(1);
  run.mockReset();
  await usage.write();
  expect(run).toHaveBeenCalledTimes(500);
});
