import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { developmentClientId, developmentIssuer } from '../../src/dev/issuer.ts';
import { requestToken } from '../../src/dev/request-token.ts';

/** The folder of the project. */
export const root = join(import.meta.dirname, '../..');

/** What the service prints when it is ready: one JSON line, or in a terminal a panel with this at its end. */
const ready = /to use your own\.\r?\n|"msg":"ready".*\n/;

/** A process that has ended. */
export interface Ended {
  /** Its exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty folder, deleted when it is disposed of. */
export async function createTemporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'keyward-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Whether nobody listens on a port of the loopback now. */
const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const listens = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (listens) await once(server.close(), 'close');
  return listens;
};

/**
 * A port that nobody listens on now. It lies below the ports that systems give to outgoing connections and to servers
 * on port 0 (from 32768 on Linux, 49152 elsewhere): one of those could be taken until a process listens on it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    if (await isFree(port)) return port;
  }
}

/** Long enough for a busy machine, and over before a test's own time is: what was started is then still ended. */
const patience = 20_000;

/**
 * A child process whose output is kept; nothing of the test's own environment reaches it but where programs are.
 * @param timeout after how many milliseconds it is killed; never where it is left out
 */
function launch(
  command: string,
  args: readonly string[],
  { cwd, env, timeout }: { cwd: string; env: Record<string, string>; timeout?: number },
) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    ...(timeout !== undefined && { timeout }),
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...output }));
  return { child, output, ended };
}

/**
 * Runs a command in the project's folder, as a shell does, until it ends.
 * @param timeout after how many milliseconds it is killed
 */
export const runShell = (
  command: string,
  { env = {}, timeout = patience }: { env?: Record<string, string>; timeout?: number } = {},
): Promise<Ended> => launch('sh', ['-c', command], { cwd: root, env, timeout }).ended;

/** Runs a command until it ends; after `timeout` milliseconds it is killed. */
export const runCommand = (
  [command = '', ...args]: readonly string[],
  { timeout = patience, ...options }: { cwd: string; env: Record<string, string>; timeout?: number },
): Promise<Ended> => launch(command, args, { ...options, timeout }).ended;

/** Runs a script of the project, such as `dist/server/migrate.js`, until it ends. */
export const runScript = (
  script: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Ended> =>
  launch(process.execPath, [join(root, script), ...args], { cwd, env, timeout: patience }).ended;

/** Starts a script of the project, and does not wait for anything. */
export function startScript(script: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const { child, output, ended } = launch(process.execPath, [join(root, script)], { cwd, env });
  return {
    /** What it has printed so far. */
    output,
    hasEnded: () => child.exitCode !== null,
    /** Ends it at once, as `kill -9` does. */
    kill: () => kill(child, ended),
    [Symbol.asyncDispose]: () => kill(child, ended),
  };
}

/** Starts a process of Node's from the text of a module, and waits until it has printed something. */
export async function startModule(text: string) {
  const { child, output, ended } = launch(process.execPath, ['--input-type=module', '--eval', text], {
    cwd: root,
    env: {},
    timeout: patience,
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  return {
    /** What it has printed so far. */
    output,
    /** Ends it at once, as `kill -9` does. */
    kill: () => kill(child, ended),
    [Symbol.asyncDispose]: () => kill(child, ended),
  };
}

const main = join(root, 'dist/server/main.js');

/** Runs the service with an environment that it cannot start with, or for another task than that, until it ends. */
export const runService = (
  cwd: string,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Ended> => launch(process.execPath, [main, ...args], { cwd, env, timeout: patience }).ended;

/** Resolves when the service has printed that it is ready; rejects with what it printed where that does not come. */
function untilReady({ child, output, ended }: ReturnType<typeof launch>, time: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (what: string) => reject(new Error(`${what}:\n${output.stdout}${output.stderr}`));
    const timer = setTimeout(() => refuse('The service does not get ready'), time);
    child.stdout.on('data', () => {
      if (ready.test(output.stdout)) resolve();
    });
    void ended.then(({ code }) => {
      clearTimeout(timer);
      refuse(`The service ended with ${code}`);
    });
  });
}

const kill = async (child: ChildProcess, ended: Promise<Ended>): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await ended;
};

/**
 * Starts the service as a process of its own and waits until it says that it is ready.
 * @param folder where it runs; its data goes to `data` below, and no `.env` of the project is read
 * @param env its environment, beside a free PORT
 * @param time how long it may take until then, in milliseconds
 * @param command what is run: the project's service, unless told otherwise
 */
export async function startProcess(
  folder: string,
  env: Record<string, string> = {},
  time = patience,
  [command = '', ...args]: readonly string[] = [process.execPath, main],
) {
  const port = Number(env['PORT'] ?? (await freePort()));
  const dataDir = join(folder, 'data');
  const startedAt = performance.now();
  const service = launch(command, args, {
    cwd: folder,
    env: { PORT: `${port}`, DATA_DIR: dataDir, ...env },
  });
  const { child, output, ended } = service;
  try {
    await untilReady(service, time);
  } catch (error) {
    await kill(child, ended);
    throw error;
  }
  const issuer = developmentIssuer({ host: '127.0.0.1', port });
  return {
    port,
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    /** The path of its database file. */
    databaseFile: join(dataDir, 'keyward.db'),
    dataDir,
    /** How long it took from the start of the process until it said that it was ready. */
    milliseconds: Math.round(performance.now() - startedAt),
    /** What it has printed so far. */
    output,
    /**
     * An access token of its development identity provider; with all scopes unless told otherwise, and
     * perhaps with organisations, each with a role.
     */
    token: (subject: string, scope?: string, organizations?: Readonly<Record<string, string>>) =>
      requestToken({ issuer, clientId: developmentClientId, subject, scope, organizations }),
    /** Sends it a signal. */
    signal: (name: NodeJS.Signals) => child.kill(name),
    /** Resolves when it has ended. */
    ended,
    [Symbol.asyncDispose]: () => kill(child, ended),
  };
}

/**
 * Starts the service with its log going to an open file or pipe, and waits until it says over HTTP that it is ready.
 * @param log the descriptor of the file or pipe; nobody but the test reads it
 */
export async function startWithLog(folder: string, log: number, env: Record<string, string> = {}) {
  const port = await freePort();
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: { PATH, HOME, PORT: `${port}`, DATA_DIR: join(folder, 'data'), ...env },
    stdio: ['ignore', log, 'inherit'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  const url = `http://127.0.0.1:${port}`;
  const isReady = () =>
    fetch(`${url}/health/ready`)
      .then(({ ok }) => ok)
      .catch(() => false);
  const until = performance.now() + patience;
  while (!(await isReady()) && performance.now() < until) await delay(50);
  return {
    port,
    url,
    pid: child.pid ?? 0,
    signal: (name: NodeJS.Signals) => child.kill(name),
    /** Resolves when it has ended. */
    ended,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts the service in a terminal and waits until it says that it is ready; disposing of it closes the terminal. */
export async function startInTerminal(folder: string, env: Record<string, string> = {}) {
  const port = await freePort();
  const command = `'${process.execPath}' '${main}'`;
  const terminal = launch('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { PORT: `${port}`, DATA_DIR: join(folder, 'data'), ...env },
  });
  const close = () => kill(terminal.child, terminal.ended);
  try {
    await untilReady(terminal, patience);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    /** What the terminal shows, without what is for colours. */
    screen: () => stripVTControlCharacters(terminal.output.stdout).replaceAll('\r\n', '\n'),
    [Symbol.asyncDispose]: close,
  };
}

/** The environment of a service under load, in which one person asks for more than a person may. */
export const unlimited = { RATE_LIMIT_ACCOUNT: 'off', CHANGES_PER_DAY: '999999999' };

/** A running service. */
export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>;

/** Waits until nobody listens on a service's port any more. */
export async function untilRefused({ url }: { readonly url: string }): Promise<void> {
  // A connection for each: one that is kept would go on being answered. One that workers have yet to share out when
  // they close is never answered.
  const isAnswered = () =>
    fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(1000) }).then(
      () => true,
      () => false,
    );
  while (await isAnswered()) await delay(10);
}

/** A TCP connection to a service, for what no HTTP client would send; it is kept open until it is disposed of. */
export async function openConnection({ port }: { readonly port: number }) {
  // Without a delay, each write is a segment of its own: Nagle's algorithm would join what a test sends in pieces.
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('utf8');
  let received = '';
  socket.on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'connect');
  /** Resolves with all that was received when something is in it. */
  const until = async (text: string): Promise<string> => {
    while (!received.includes(text)) await once(socket, 'data');
    return received;
  };
  return {
    write: (text: string) => void socket.write(text),
    until,
    /** Resolves when it is closed, by whomever. */
    closed: new Promise<void>((resolve) => {
      socket.on('error', () => {}).once('close', () => resolve());
    }),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
