import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './process.ts';
import { canRun } from './programs.ts';

const program = '/usr/sbin/pgbouncer';

/** Whether the tests of PgBouncer are run. */
export const runsPgBouncer = canRun('pgbouncer', 'nothing is tried behind it', undefined, program);

/** Whether it keeps prepared statements: from 1.21 on, where it is told to. */
export function keepsStatements(): boolean {
  const [, minor] =
    /^PgBouncer 1\.(\d+)/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout) ?? [];
  return Number(minor) >= 21;
}

/** It refuses to run as root; the package brings a user for it. */
const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/**
 * Starts PgBouncer in transaction mode before a PostgreSQL server, and else as it comes.
 * @param folder where it keeps its files
 * @param servers how many connections it has to a database: fewer than its clients, who share them
 * @returns the URL of a database by way of it
 */
export async function startPgBouncer(folder: string, server: string, servers: number) {
  const port = await freePort();
  const home = join(folder, 'pgbouncer');
  await mkdir(home, { mode: 0o755 });
  await chmod(folder, 0o755);
  const { username, password, host, hostname, port: serverPort } = new URL(server);
  if (!host) throw new Error('This is no URL of a server');
  await writeFile(join(home, 'users'), `"${username}" "${password}"\n`);
  await writeFile(
    join(home, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = md5
auth_file = ${home}/users
admin_users = ${username}
pool_mode = transaction
default_pool_size = ${servers}
`,
  );
  const child = spawn(program, [...asUser, join(home, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer does not start: ${log}`);
    await delay(20);
  }
  return {
    /** The URL of one of the server's databases, by way of it. */
    through: (url: string): string => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    /** Gives a command to its console, such as `RECONNECT`. */
    command: async (command: string): Promise<void> => {
      const console = new pg.Client({
        host: '127.0.0.1',
        port,
        user: username,
        password,
        database: 'pgbouncer',
      });
      await console.connect();
      await console.query(command);
      await console.end();
    },
    /** What it has said so far. */
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
