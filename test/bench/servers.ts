import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAssertionKey, writeAssertionKey } from '../../src/secrets/assertion-keys.ts';
import { freePort, root } from '../support/process.ts';
import type { Operation } from './operation.ts';
import { cpuMicroseconds } from './process-figures.ts';
import type { World } from './world.ts';

/** Something that can be measured. */
export interface ServerKind {
  /** Its name on the command line. */
  readonly name: string;
  readonly title: string;
  /** The interfaces that it has. */
  readonly answers: readonly Operation['on'][];
  /** What is run, from the project's folder. */
  readonly script: string;
  readonly env?: Readonly<Record<string, string>>;
}

const peers = 'test/bench/peers';

/** Keyward, with which the others are compared. */
export const keyward: ServerKind = {
  name: 'keyward',
  title: 'Keyward',
  answers: ['rest', 'graphql'],
  script: 'dist/server/main.js',
};

/** Keyward where every account has a plan that bounds all that a plan can. */
export const keywardWithPlan: ServerKind = {
  ...keyward,
  name: 'keyward-plan',
  title: 'Keyward with a plan',
  env: { PLANS_FILE: join(root, 'test/bench/plans.yaml') },
};

/** Keyward that signs an assertion about each key. */
export const keywardWithAssertions: ServerKind = {
  ...keyward,
  name: 'keyward-assertions',
  title: 'Keyward with assertions',
  env: {
    ASSERTION_KEYS: writeAssertionKey(createAssertionKey('bench')),
    ASSERTION_AUDIENCE: 'https://api.example.com',
    PUBLIC_URL: 'https://keys.example.com',
  },
};

/** All servers. */
export const serverKinds: readonly ServerKind[] = [
  keyward,
  {
    ...keyward,
    name: 'keyward-log',
    title: 'Keyward with its request log',
    env: { LOG_LEVEL: 'info' },
  },
  {
    name: 'node-http',
    title: 'node:http by hand',
    answers: ['rest'],
    script: `${peers}/node-http.ts`,
  },
  {
    name: 'fastify',
    title: 'Fastify, Mercurius',
    answers: ['rest', 'graphql'],
    script: `${peers}/fastify.ts`,
  },
  {
    name: 'mercurius',
    title: 'Fastify, Mercurius without its compiler',
    answers: ['graphql'],
    script: `${peers}/fastify.ts`,
    env: { MERCURIUS_JIT: '0' },
  },
  {
    name: 'apollo',
    title: 'Apollo Server, MikroORM',
    answers: ['graphql'],
    script: `${peers}/apollo.ts`,
  },
];

/** Verification of API keys by hand. */
export const fastifyDoors: ServerKind = {
  name: 'fastify-doors',
  title: 'Fastify',
  answers: ['rest'],
  script: `${peers}/fastify-doors.ts`,
};

/** Verification of API keys by better-auth's plugin for them. */
export const betterAuth: ServerKind = {
  name: 'better-auth',
  title: 'better-auth',
  answers: ['rest'],
  script: `${peers}/better-auth.ts`,
};

/** How long a server may take to get ready, in milliseconds. */
const patience = 20_000;

/** Whether a server answers; Keyward says 503 until it is ready, and then 401. */
const isReady = (url: string) =>
  fetch(`${url}/api/v1/auth/private-key`, { headers: { connection: 'close' } }).then(
    ({ status }) => status !== 503,
    () => false,
  );

/** Starts a server on a copy of the world's database, and waits until it answers. Its output goes to a file. */
export async function startServer(kind: ServerKind, world: World) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(world.folder, `${kind.name}.log`);
  const log = await open(logFile, 'a');
  const databaseFile = await world.copyDatabase();
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: `${port}`,
    DATABASE_URL: `sqlite:${databaseFile}`,
    ...world.secrets,
    AUTH_ISSUER: world.issuer,
    AUTH_AUDIENCE: world.audience,
    LOG_LEVEL: 'warn',
    // One person of the load asks for more than a person may.
    RATE_LIMIT_ACCOUNT: 'off',
    CHANGES_PER_DAY: '999999999',
    ...kind.env,
  };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(root, kind.script)], {
    cwd: world.folder,
    env,
    stdio: ['ignore', log.fd, log.fd],
  });
  const exited = once(child, 'exit');
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  // In order: Node writes its cache of compiled code, from which later starts profit, when a process ends.
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    process.off('exit', kill);
    await log.close();
  };

  while (!(await isReady(url))) {
    const late = performance.now() - startedAt > patience;
    if (late || child.exitCode !== null) {
      await stop();
      throw new Error(`${kind.title} does not get ready:\n${await readFile(logFile, 'utf8')}`);
    }
    await delay(5);
  }
  return {
    kind,
    url,
    /** The SQLite file that it was given; undefined where it works with another database. */
    databaseFile: env.DATABASE_URL === `sqlite:${databaseFile}` ? databaseFile : undefined,
    pid: child.pid ?? 0,
    /** From the start of the process to its first answer, in milliseconds. */
    milliseconds: performance.now() - startedAt,
    /** Its processor time until then, in microseconds. */
    cpu: cpuMicroseconds(child.pid ?? 0),
    [Symbol.asyncDispose]: stop,
  };
}

/** A running server. */
export type Server = Awaited<ReturnType<typeof startServer>>;
