import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { createDatabase } from '../bench/database.ts';
import { databaseConfig } from '../support/database.ts';
import { report, rounds } from '../support/ledger.ts';
import { createTemporaryFolder, root, runCommand } from '../support/process.ts';

const keysEach = 10;
const megabyte = 1024 * 1024;

it.each([
  ['until the next commit', []],
  ['for when the database is away', ['3600']],
])('many keys, each verified twice, take at most 16 MiB: %s', async (why, grace) => {
  const count = rounds(100_000, 20_000);
  await using folder = await createTemporaryFolder();
  const url = `sqlite:${join(folder.path, 'keyward.db')}`;
  await createDatabase(url, 'https://id.example.com', { users: Math.ceil(count / keysEach), keysEach });
  {
    await using database = await openDatabase(databaseConfig(url));
    // Its number, and zeros.
    await database.em.getConnection().execute(
      `insert into api_key_secret (api_key_id, digest, pepper_version)
       select id, unhex(printf('%08X%056X', id, 0)), 1 from api_key`,
    );
    const texts = `name = 'Ключ ' || id, metadata = '{"team":"search"}'`;
    await database.em.getConnection().execute(`update api_key set ${texts} where id % 2 = 0`);
  }
  const script = join(root, 'test/faults/remember-keys.ts');
  const command = [process.execPath, '--expose-gc', script, url, `${count}`, ...grace];
  const { code, stdout, stderr } = await runCommand(command, { cwd: root, env: {}, timeout: 500_000 });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const { grown, remembered } = JSON.parse(stdout) as { grown: number; remembered: number };
  report(`keys remembered ${why}`, {
    asked: count,
    remembered,
    'MiB more': Math.round((grown / megabyte) * 10) / 10,
  });
  // A few thousand, in most of the room.
  expect(remembered).toBeGreaterThan(5000);
  expect(grown).toBeLessThan(16 * megabyte);
  expect(grown).toBeGreaterThan(8 * megabyte);
});
