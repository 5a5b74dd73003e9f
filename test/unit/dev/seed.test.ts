import { expect, it } from 'vitest';
import { seed } from '../../../src/dev/seed.ts';
import { createSecrets } from '../../../src/secrets/secrets.ts';
import { openTestDatabase } from '../../support/database.ts';
import { secretListOf } from '../../support/secrets.ts';

it('gives each key its own secret, stored like that of a created key', async () => {
  await using database = await openTestDatabase();
  const secrets = createSecrets({ peppers: secretListOf(7), encryptionKeys: secretListOf(1) });
  await seed(database.em.fork(), 'http://127.0.0.1:4000/idp', secrets, 'sk-');
  const stored = await database.em
    .getConnection()
    .execute('select * from api_key_secret order by api_key_id');
  expect(stored.map(({ api_key_id }) => api_key_id)).toEqual([1, 2, 3, 4]);
  for (const { digest, pepper_version, works_until } of stored) {
    expect([digest.length, pepper_version, works_until]).toEqual([32, 7, null]);
  }
  expect(new Set(stored.map(({ digest }) => digest.toString('hex'))).size).toBe(4);
});
