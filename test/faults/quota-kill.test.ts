import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
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

/** The sorts of quotas, by the table that has what is taken of them. */
type Table = 'api_key_quota' | 'account_quota';

/**
 * Puts keys of one account into an empty database.
 * @param units of the one key's own quota; undefined: it has none
 * @returns their secrets
 */
async function createKeys(
  url: string,
  issuer: string,
  variables: Record<string, string>,
  { count, units }: { count: number; units?: number },
): Promise<string[]> {
  const config = databaseConfig(url);
  await using database = await openDatabase(config);
  await migrate(database, config);
  const secrets = createSecrets(loadConfig(variables).secrets as SecretKeys);
  const { createAccount, createVerifiableKey, createQuota } = createBuilders(database, issuer, secrets);
  const account = await createAccount('alice');
  const created: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id, secret } = await createVerifiableKey(account);
    if (units !== undefined) await createQuota(id, { units });
    created.push(secret);
  }
  return created;
}

const readTaken = async (url: string, table: Table): Promise<number> => {
  await using database = await openDatabase({ ...databaseConfig(url), poolSize: 1 });
  const [row] = await database.em.getConnection().execute(`select taken from ${table}`);
  return Number(row?.['taken']);
};

/** Clients that ask at the doors of whatever nodes there are, without pause; they know how often they were let in. */
class Load {
  granted = 0;
  readonly statuses = new Set<number>();
  #isRunning = true;
  readonly #nodes: readonly ServiceProcess[];
  readonly #secrets: readonly string[];
  readonly #done: Promise<unknown>;

  /** @param nodes of which some may be replaced meanwhile */
  constructor(nodes: readonly ServiceProcess[], secrets: readonly string[]) {
    this.#nodes = nodes;
    this.#secrets = secrets;
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
      // Each key is asked about at each node.
      const round = Math.floor(turn / this.#secrets.length);
      const node = this.#nodes[(turn + round) % this.#nodes.length] as ServiceProcess;
      const headers = { 'x-api-key': this.#secrets[turn % this.#secrets.length] as string };
      const status = await fetch(`${node.url}/api/v1/keys/authorize`, { headers })
        .then((response) => response.status)
        .catch(() => 0);
      if (status === 200) this.granted += 1;
      this.statuses.add(status);
      if (status === 429) return;
      if (status === 0) await delay(10);
    }
  }
}

/** What a test needs of a service whose nodes it starts and kills. */
async function createService(sort: string, { keys, units, isShared }: Quota, opened: AsyncDisposableStack) {
  const folder = opened.use(await createTemporaryFolder());
  const issuer = opened.use(await startIssuer());
  const url =
    sort === 'SQLite'
      ? `sqlite:${join(folder.path, 'keyward.db')}`
      : await createOnServer(inject('postgresUrl') ?? '');
  const variables = secretVariables();
  const owner = issuer.config.issuer;
  const secrets = await createKeys(url, owner, variables, { count: keys, ...(!isShared && { units }) });
  const plansFile = join(folder.path, 'plans.json');
  const plan = isShared ? { quota: { limit: units, refill: 'never' } } : {};
  await writeFile(plansFile, JSON.stringify({ default: 'only', plans: { only: plan } }));
  const env = {
    NODE_ENV: 'production',
    ...variables,
    AUTH_ISSUER: owner,
    AUTH_AUDIENCE: 'keyward',
    DATABASE_URL: url,
    LOG_LEVEL: 'error',
    PLANS_FILE: plansFile,
  };
  const start = async () => opened.use(await startProcess(folder.path, env, patience));
  const taken = () => readTaken(url, isShared ? 'account_quota' : 'api_key_quota');
  return { secrets, start, taken };
}

interface Quota {
  readonly keys: number;
  readonly units: number;
  /** Whether it is the account's, and not the one key's. */
  readonly isShared: boolean;
}

/**
 * Spends all that is left. One node after the other is stopped: what it has left goes back, and the others grant it.
 * @returns how much was granted
 */
async function drain(nodes: ServiceProcess[], secrets: readonly string[]): Promise<number> {
  let granted = 0;
  while (nodes.length > 0) {
    const load = new Load(nodes, secrets);
    await load.drain();
    granted += load.granted;
    const leaving = nodes.shift() as ServiceProcess;
    leaving.signal('SIGTERM');
    await leaving.ended;
  }
  return granted;
}

const ofKey = (kills: number): Quota => ({ keys: 1, units: kills * 400, isShared: false });
const ofAccount: Quota = { keys: 20, units: 10_000, isShared: true };

it.each([
  ['SQLite', 'a key', 1],
  ['PostgreSQL', 'a key', 2],
  ['SQLite', 'an account', 1],
  ['PostgreSQL', 'an account', 2],
] as const)(
  'grants no more than a quota, however often it is killed: %s, %s, nodes: %i',
  async (sort, whose, size) => {
    const count = rounds(100, 5);
    const quota = whose === 'a key' ? ofKey(count) : ofAccount;
    const { units } = quota;
    await using opened = new AsyncDisposableStack();
    const { secrets, start, taken: readTaken } = await createService(sort, quota, opened);
    const nodes = await Promise.all(Array.from({ length: size }, start));

    let granted = 0;
    let kills = 0;
    while (kills < count) {
      const load = new Load(nodes, secrets);
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
    granted += await drain(nodes, secrets);
    const taken = await readTaken();
    report(`kill -9 with the quota of ${whose} on ${sort}, nodes: ${size}`, {
      kills,
      units,
      beforeDrain,
      granted,
      taken,
    });
    expect(beforeDrain).toBeGreaterThan(0);
    expect(granted).toBeLessThanOrEqual(units);
    expect(taken).toBeLessThanOrEqual(units);
    expect(granted).toBeLessThanOrEqual(taken);
    // A node never has more than a tenth of what is left.
    expect(taken - granted).toBeLessThanOrEqual((kills * units) / 10);
  },
);

it.each([
  ['SQLite', 1],
  ['PostgreSQL', 2],
] as const)(
  'grants exactly the quota that keys share where nothing is killed: %s, nodes: %i',
  async (sort, size) => {
    await using opened = new AsyncDisposableStack();
    const { secrets, start, taken } = await createService(sort, ofAccount, opened);
    const nodes = await Promise.all(Array.from({ length: size }, start));
    const granted = await drain(nodes, secrets);
    report(`the quota of an account on ${sort}, nodes: ${size}`, { granted, taken: await taken() });
    expect([granted, await taken()]).toEqual([ofAccount.units, ofAccount.units]);
  },
);
