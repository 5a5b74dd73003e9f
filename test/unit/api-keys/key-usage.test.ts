import { expect, it } from 'vitest';
import { KeyUsage } from '../../../src/api-keys/key-usage.ts';
import type { Db } from '../../../src/database/db.ts';

it('waits for no more than 100,000 keys, and writes 200 in a transaction', async () => {
  let isDown = true;
  let transactions = 0;
  const transaction = async () => {
    if (isDown) throw new Error('the database is down');
    transactions += 1;
  };
  const failures: unknown[] = [];
  await using usage = new KeyUsage({ transaction } as unknown as Db, (error) => failures.push(error));
  for (let id = 1; id <= 200_000; id += 1) usage.note(id, new Date(id));
  await usage.write();
  for (let id = 1; id <= 200_000; id += 1) usage.note(id, new Date(id));
  expect(failures).toHaveLength(1);
  isDown = false;
  await usage.write();
  expect(transactions).toBe(500);
});
