import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { assertMigrated, migrate } from '../../../src/database/migrate.ts';
import { startPostgres } from '../../support/postgres-server.ts';

/** The folder of the socket, named as on Google Cloud: `PROJECT:REGION:INSTANCE`. */
let socket: string;
let folder: string;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyward-'));
  socket = join(folder, 'project:region:instance');
  await mkdir(socket);
  // PostgreSQL may run as a user of its own.
  await chmod(folder, 0o755);
  await chmod(socket, 0o777);
  postgres = await startPostgres(['-c', `unix_socket_directories=${socket}`]);
});
afterAll(async () => {
  await postgres?.server.stop();
  for (const path of [postgres?.folder, folder]) await rm(path, { recursive: true, force: true });
});

it.each([
  [
    'of psql and Cloud SQL',
    (port: string) => `postgres://postgres:postgres@:${port}/postgres?host=${socket}`,
  ],
  [
    'with TLS turned off',
    (port: string) => `postgres://postgres:postgres@:${port}/postgres?host=${socket}&sslmode=disable`,
  ],
])('a URL %s leads to a socket', async (_what, urlOf) => {
  const { database: config } = loadConfig({
    DATABASE_URL: urlOf(new URL(postgres.url).port),
  });
  await using database = await openDatabase(config);
  await migrate(database, config);
  await assertMigrated(database, config);
  expect(
    await database.em.fork().execute('select inet_server_addr() as address, current_database() as name'),
  ).toEqual([{ address: null, name: 'postgres' }]);
});

it('a socket that is not there yet → to be tried again', async () => {
  const { database: config } = loadConfig({
    DATABASE_URL: `postgres://postgres:postgres@/postgres?host=${socket}`,
  });
  await expect(openDatabase(config)).rejects.toThrow('takes no connection now (ENOENT)');
});
