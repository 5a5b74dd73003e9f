import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { SecretKeys } from '../../src/secrets/secret-list.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { createBuilders } from '../support/gateway.ts';
import { startIssuer } from '../support/issuer.ts';
import { report, rounds } from '../support/ledger.ts';
import { createTemporaryFolder, type ServiceProcess, startProcess } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';

/** A machine that does other things as well makes one of hundreds of starts slow. */
const patience = 30_000;

const clients = 8;

/** Puts a key with a quota into an empty database. */
async function createKey(url: string, issuer: string, variables: Record<string, string>, units: number) {
  const config = databaseConfig(url);
  await using database = await openDatabase(config);
  await migrate(database, config);
  const secrets = createSecrets(loadConfig(variables).secrets as SecretKeys);
  const { createAccount, createVerifiableKey, createQuota } = createBuilders(database, issuer, secrets);
  const { id, secret } = await createVerifiableKey(await createAccount('alice'));
  await createQuota(id, { units });
  return secret;
}

const readTaken = async (url: string): Promise<number> => {
  await using database = await openDatabase({ ...databaseConfig(url), poolSize: 1 });
  const [row] = await database.em.getConnection().execute('select taken from api_key_quota');
  return Number(row?.['taken']);
};

/** Clients that ask at the doors of whatever nodes there are, without pause; they know how often they were let in. */
class Load {
  granted = 0;
  readonly statuses = new Set<number>();
  #isRunning = true;
  readonly #nodes: readonly ServiceProcess[];
  readonly #headers: Record<string, string>;
  readonly #done: Promise<unknown>;

  /** @param nodes of which some may be replaced meanwhile */
  constructor(nodes: readonly ServiceProcess[], secret: string) {
    this.#nodes = nodes;
    this.#headers = { 'x-api-key': secret };
    this.#done = Promise.all(Array.from({ length: clients }, (_, index) => this.#ask(index)));
  }

  async untilGranted(more: number): Promise<void> {
    const enough = this.granted + more;
    while (this.granted < enough && !this.statuses.has(429)) await delay(2);
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#done;
  }

  /** Until there is nothing left. */
  drain = (): Promise<unknown> => this.#done;

  async #ask(index: number): Promise<void> {
    for (let turn = index; this.#isRunning; turn += 1) {
      const node = this.#nodes[turn % this.#nodes.length] as ServiceProcess;
      const status = await fetch(`${node.url}/api/v1/keys/authorize`, { headers: this.#headers })
        .then((response) => response.status)
        .catch(() => 0);
      if (status === 200) this.granted += 1;
      this.statuses.add(status);
      if (status === 429) return;
      if (status === 0) await delay(10);
    }
  }
}

it.each([
  ['SQLite', 1],
  ['PostgreSQL', 2],
] as const)('grants no more than a quota, however often it is killed: %s, nodes: %i', async (sort, size) => {
  const count = rounds(100, 5);
  const units = count * 400;
  await using folder = await createTemporaryFolder();
  await using issuer = await startIssuer();
  const url =
    sort === 'SQLite'
      ? `sqlite:${join(folder.path, 'keyward.db')}`
      : await createOnServer(inject('postgresUrl') ?? '');
  const variables = secretVariables();
  const secret = await createKey(url, issuer.config.issuer, variables, units);
  const env = {
    NODE_ENV: 'production',
    ...variables,
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    DATABASE_URL: url,
    LOG_LEVEL: 'error',
  };
  await using services = new AsyncDisposableStack();
  const start = async () => services.use(await startProcess(folder.path, env, patience));
  const nodes = await Promise.all(Array.from({ length: size }, start));

  let granted = 0;
  let kills = 0;
  while (kills < count) {
    const load = new Load(nodes, secret);
    await load.untilGranted(randomInt(1, 300));
    const place = kills % size;
    nodes[place]?.signal('SIGKILL');
    kills += 1;
    await nodes[place]?.ended;
    await load.stop();
    granted += load.granted;
    expect([...load.statuses].filter((status) => ![0, 200, 429].includes(status))).toEqual([]);
    nodes[place] = await start();
  }

  const beforeDrain = granted;
  for (let round = 0; round < size; round += 1) {
    const load = new Load(nodes, secret);
    await load.drain();
    granted += load.granted;
    // What one node has left goes back, and the others grant it.
    const leaving = nodes.shift() as ServiceProcess;
    leaving.signal('SIGTERM');
    await leaving.ended;
  }
  const taken = await readTaken(url);
  report(`kill -9 with quotas on ${sort}, nodes: ${size}`, { kills, units, beforeDrain, granted, taken });
  expect(granted).toBeLessThanOrEqual(units);
  expect(taken).toBeLessThanOrEqual(units);
  expect(granted).toBeLessThanOrEqual(taken);
  // A node never has more than a tenth of what is left.
  expect(taken - granted).toBeLessThanOrEqual((kills * units) / 10);
});
