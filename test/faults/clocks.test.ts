import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, inject, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { SecretKeys } from '../../src/secrets/secret-list.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { createBuilders } from '../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../support/issuer.ts';
import { rounds } from '../support/ledger.ts';
import { createTemporaryFolder, root, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

const preload = pathToFileURL(join(root, 'test/support/shifted-clock.mjs')).href;
const year = 365 * 24 * 3600;
const allShifts = [-3600, 4 * 24 * 3600, -10 * year, -1, 1, 3600, 10 * year];
const shifts = allShifts.slice(0, rounds(allShifts.length, 2));

/** A database with a key that has a rate limit, and one with a quota that is full again each day. */
async function createKeys(url: string, issuer: string, variables: Record<string, string>) {
  const config = databaseConfig(url);
  await using database = await openDatabase(config);
  await migrate(database, config);
  const secrets = createSecrets(loadConfig(variables).secrets as SecretKeys);
  const { createAccount, createVerifiableKey, createQuota } = createBuilders(database, issuer, secrets);
  const alice = await createAccount('alice');
  const rated = await createVerifiableKey(alice, { rateLimit: 3, rateLimitWindow: 2 });
  const counted = await createVerifiableKey(alice);
  await createQuota(counted.id, { units: 3, refill: 'daily', refillsAt: new Date(Date.now() - 1000) });
  return { rated: rated.secret, counted: counted.secret };
}

/** A service of which the clock can be set. */
class Node {
  readonly #file: string;
  readonly process: ServiceProcess;

  constructor(file: string, process: ServiceProcess) {
    this.#file = file;
    this.process = process;
  }

  static async start(folder: string, env: Record<string, string>, seconds: number): Promise<Node> {
    const file = join(folder, `ahead-${Math.random()}`);
    await writeFile(file, `${seconds * 1000}`);
    const variables = { ...env, NODE_OPTIONS: `--import=${preload}`, CLOCK_AHEAD_FILE: file };
    return new Node(file, await startProcess(folder, variables, 30_000));
  }

  async setClock(seconds: number): Promise<void> {
    await writeFile(this.#file, `${seconds * 1000}`);
    this.process.signal('SIGUSR2');
    // An answer after it tells that the signal has come through.
    await fetch(`${this.process.url}/health/live`);
    await delay(50);
  }

  [Symbol.asyncDispose] = () => this.process[Symbol.asyncDispose]();
}

/** Asks until it is refused; how often it was let in, and for how many seconds it is refused. */
async function exhaust(ask: () => Promise<Response>) {
  for (let passed = 0; passed < 50; passed += 1) {
    const response = await ask();
    if (response.status === 429) return { passed, seconds: Number(response.headers.get('retry-after')) };
    expect(response.status).toBe(200);
  }
  throw new Error('It is not refused');
}

interface World {
  readonly start: (seconds: number) => Promise<Node>;
  readonly ask: (node: Node, what: 'account' | 'rated' | 'counted') => () => Promise<Response>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

async function createWorld(sort: 'SQLite' | 'PostgreSQL'): Promise<World> {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await createTemporaryFolder());
  const issuer: TestIssuer = stack.use(await startIssuer());
  const url =
    sort === 'SQLite'
      ? `sqlite:${join(folder.path, 'keyward.db')}`
      : await createOnServer(inject('postgresUrl') ?? '');
  const variables = secretVariables();
  const keys = await createKeys(url, issuer.config.issuer, variables);
  const env = {
    ...variables,
    NODE_ENV: 'production',
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    DATABASE_URL: url,
    RATE_LIMIT_ACCOUNT: '3/2',
    LOG_LEVEL: 'error',
  };
  const authorization = `Bearer ${await issuer.sign({ exp: 4_000_000_000, iat: 0 })}`;
  return {
    start: async (seconds) => stack.use(await Node.start(folder.path, env, seconds)),
    ask: ({ process: { url } }, what) =>
      what === 'account'
        ? () => fetch(`${url}/api/v1/auth/private-key`, { headers: { authorization } })
        : () => fetch(`${url}/api/v1/keys/authorize`, { headers: { 'x-api-key': keys[what] } }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

it.each(shifts)(
  'no window ends later than its length from now, where a clock is set by %i s: SQLite',
  async (shift) => {
    await using world = await createWorld('SQLite');
    await using node = await world.start(0);
    for (const what of ['account', 'rated'] as const) {
      const ask = world.ask(node, what);
      expect(await exhaust(ask)).toMatchObject({ passed: 3 });
      await node.setClock(shift);
      expect((await exhaust(ask)).seconds).toBeLessThanOrEqual(2);
      await delay(2100);
      expect(await exhaust(ask)).toMatchObject({
        passed: 3,
        seconds: expect.toSatisfy((seconds) => seconds <= 2),
      });
      await node.setClock(0);
      expect((await exhaust(ask)).seconds).toBeLessThanOrEqual(2);
      await delay(2100);
      expect((await ask()).status).toBe(200);
    }
  },
);

it.each(shifts)(
  'no quota refuses longer than its period, where a clock was %i s ahead at the start: SQLite',
  async (shift) => {
    await using world = await createWorld('SQLite');
    {
      await using node = await world.start(shift);
      expect((await exhaust(world.ask(node, 'counted'))).seconds).toBeLessThanOrEqual(86_400);
    }
    await using node = await world.start(0);
    const isFar = Math.abs(shift) > 86_400;
    const { passed, seconds } = await exhaust(world.ask(node, 'counted'));
    expect(seconds).toBeLessThanOrEqual(86_400);
    if (isFar) expect(passed).toBe(3);
  },
);

it.each(shifts)(
  'a node whose clock is %i s ahead changes no limit of the other: PostgreSQL',
  async (shift) => {
    await using world = await createWorld('PostgreSQL');
    await using odd = await world.start(shift);
    await using right = await world.start(0);
    for (const what of ['account', 'rated'] as const) {
      expect((await exhaust(world.ask(odd, what))).seconds).toBeLessThanOrEqual(2);
      expect((await exhaust(world.ask(right, what))).seconds).toBeLessThanOrEqual(2);
      await delay(4200);
      expect((await world.ask(right, what)()).status).toBe(200);
      expect((await world.ask(odd, what)()).status).toBe(200);
    }
    // The period begins once, by the database's clock.
    expect(await exhaust(world.ask(odd, 'counted'))).toMatchObject({ passed: 3 });
    for (const node of [right, odd, right])
      expect(await exhaust(world.ask(node, 'counted'))).toMatchObject({ passed: 0 });
  },
);
