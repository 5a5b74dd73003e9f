import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { writeServerCredential } from '../../src/config/values/server-credentials.ts';
import { openDatabase } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { ApiKey } from '../../src/database/tables.ts';
import type { SecretKeys } from '../../src/secrets/secret-list.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { secretOfSamePrefix } from '../support/api-key-secrets.ts';
import { createOnServer, databaseConfig } from '../support/database.ts';
import { loadDoor, statusesOf } from '../support/door-load.ts';
import { startFaultyNetwork } from '../support/faulty-network.ts';
import { createBuilders } from '../support/gateway.ts';
import { startIssuer } from '../support/issuer.ts';
import { report, rounds } from '../support/ledger.ts';
import { type OwnPostgres, queryServer, startOwnPostgres } from '../support/postgres-service.ts';
import { createTemporaryFolder, startProcess, unlimited } from '../support/process.ts';
import { secretVariables } from '../support/secrets.ts';
import { createServer } from '../support/servers.ts';

let opened: AsyncDisposableStack;
let postgres: OwnPostgres;
let network: Awaited<ReturnType<typeof startFaultyNetwork>>;
beforeEach(async () => {
  opened = new AsyncDisposableStack();
  postgres = opened.use(await startOwnPostgres());
  network = opened.use(await startFaultyNetwork(postgres.url));
});
afterEach(() => opened.disposeAsync());

/** How many keys there are, and how many more that were deactivated. */
const [known, ended] = [500, 10];

/**
 * Starts nodes on a database with keys of one account, which reach it by way of the network.
 * @param units of the first key's quota; 0: it has none
 * @param values of the first key
 */
async function start(
  env: Record<string, string>,
  {
    nodes: count = 1,
    units = 0,
    values = {},
  }: { nodes?: number; units?: number; values?: Partial<ApiKey> } = {},
) {
  const folder = opened.use(await createTemporaryFolder());
  const issuer = opened.use(await startIssuer());
  const url = await createOnServer(postgres.url);
  const variables = secretVariables();
  const config = databaseConfig(url);
  const createKeys = async () => {
    await using database = await openDatabase(config);
    await migrate(database, config);
    const secrets = createSecrets(loadConfig(variables).secrets as SecretKeys);
    const builders = createBuilders(database, issuer.config.issuer, secrets);
    const alice = await builders.createAccount('alice');
    const keys: { id: number; secret: string }[] = [];
    for (let index = 0; index < known + ended; index += 1)
      keys.push(
        await builders.createVerifiableKey(alice, { isActive: index < known, ...(index === 0 && values) }),
      );
    if (units > 0) await builders.createQuota(keys[0]?.id ?? 0, { units });
    return keys;
  };
  const keys = await createKeys();
  const server = createServer('api', 'keys.verify');
  const common = {
    ...unlimited,
    ...variables,
    NODE_ENV: 'production',
    AUTH_ISSUER: issuer.config.issuer,
    AUTH_AUDIENCE: 'keyward',
    SERVER_CREDENTIALS: writeServerCredential(server),
    DATABASE_URL: network.through(url),
    LOG_LEVEL: 'warn',
    ...env,
  };
  const nodes = await Promise.all(
    Array.from({ length: count }, async () => opened.use(await startProcess(folder.path, common))),
  );
  const [node] = nodes as [(typeof nodes)[number]];
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const alice = await issuer.sign({ sub: 'alice', exp });
  const call = async (method: string, path: string, { token = alice, json, url = node.url }: Call = {}) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
      body: json === undefined ? null : JSON.stringify(json),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  /** A question at the door for proxies, about the first key unless told otherwise. */
  const atDoor = (method: string, path: string, key = keys[0]?.secret ?? '', url = node.url) =>
    fetch(`${url}/api/v1/keys/${path}`, { method, headers: { 'x-api-key': key } });
  return {
    node,
    nodes,
    url,
    atDoor,
    keys: keys.slice(0, known),
    secrets: keys.slice(0, known).map(({ secret }) => secret),
    endedSecrets: keys.slice(known).map(({ secret }) => secret),
    query: queryServer(url),
    call,
    verify: (key: string, nodeUrl = node.url) =>
      call('POST', '/keys/verify', { token: server.secret, json: { key }, url: nodeUrl }),
    readiness: async () => {
      const answer = await fetch(`${node.url}/health/ready`);
      return { code: answer.status, ...(await answer.json()) };
    },
  };
}

interface Call {
  readonly token?: string;
  readonly json?: object;
  readonly url?: string;
}

/** A way for PostgreSQL to go away; it returns what brings it back. */
const outages: Record<string, () => Promise<() => unknown>> = {
  'is killed': async () => {
    await postgres.kill();
    return postgres.start;
  },
  'is behind a network that swallows everything': async () => {
    network.swallow(true);
    return () => network.swallow(false);
  },
  'is frozen': async () => (await postgres.freeze()).resume,
  'is in recovery': async () => {
    await postgres.kill();
    return postgres.recover();
  },
};

const warnings = ({ output }: { output: { stdout: string } }, text: string) =>
  output.stdout
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line));

describe.each(Object.entries(outages))('PostgreSQL %s', (what, leave) => {
  it('known keys are accepted all the time, and nobody else is', async () => {
    const { node, secrets, endedSecrets, verify, readiness } = await start({ DOOR_GRACE_SECONDS: '60' });
    const warm = opened.use(await loadDoor([node], secrets));
    await warm.untilAnswered(2 * known);
    const back = await leave();
    const wentAt = performance.now();
    const strangers = opened.use(
      await loadDoor([node], [...endedSecrets, ...secrets.map(secretOfSamePrefix)], 2),
    );
    await delay(rounds(30_000, 10_000));
    expect(await verify(secrets[0] ?? '')).toMatchObject({ body: { valid: true, stale: true } });
    expect(await readiness()).toMatchObject({ code: 200, status: 'degraded' });
    await back();
    const backAt = performance.now();
    await expect
      .poll(async () => (await verify(secrets[0] ?? '')).body, { timeout: 30_000 })
      .toMatchObject({ stale: false });
    const noticedAt = performance.now();
    await strangers.stop();
    await warm.stop();
    const during = warm.between(wentAt);
    report(`PostgreSQL ${what}, 16 connections`, {
      seconds: Math.round((backAt - wentAt) / 1000),
      ...statusesOf(during),
      'longest answer in ms': Math.round(during.reduce((longest, { took }) => Math.max(longest, took), 0)),
      strangers: JSON.stringify(statusesOf(strangers.between(wentAt, backAt))),
      'asked again after ms': Math.round(noticedAt - backAt),
    });
    expect(statusesOf(during)).toEqual({ 200: expect.any(Number) });
    expect(Object.keys(statusesOf(strangers.between(wentAt, backAt)))).toEqual(['503']);
    expect(warnings(node, 'the database is away')).toMatchObject([{ remembered: known, seconds: 60 }]);
    expect(warnings(node, 'the database is back')).toMatchObject([{ accepted: expect.any(Number) }]);
  });
});

const [killed] = Object.values(outages) as [(typeof outages)[string]];

describe('the grace', () => {
  it('ends so many seconds after the database last had an answer', async () => {
    const { node, secrets, readiness } = await start({ DOOR_GRACE_SECONDS: '10' });
    const load = opened.use(await loadDoor([node], secrets));
    await load.untilAnswered(2 * known);
    const back = await killed();
    const wentAt = performance.now();
    await delay(15_000);
    expect(await readiness()).toMatchObject({ code: 503, status: 'unavailable' });
    await back();
    await load.stop();
    // A key was last found within the time of a round before.
    expect(Object.keys(statusesOf(load.between(wentAt, wentAt + 8000)))).toEqual(['200']);
    expect(Object.keys(statusesOf(load.between(wentAt + 10_500, wentAt + 15_000)))).toEqual(['503']);
  });

  it('is off unless there is one', async () => {
    const { node, secrets, atDoor, readiness } = await start({});
    expect((await atDoor('GET', 'authorize')).status).toBe(200);
    const back = await killed();
    const load = opened.use(await loadDoor([node], secrets));
    await load.untilAnswered(100);
    await load.stop();
    expect(Object.keys(statusesOf(load.between(0)))).toEqual(['503']);
    expect(await readiness()).toMatchObject({ code: 503, status: 'unavailable' });
    await back();
    await expect.poll(async () => (await atDoor('GET', 'authorize')).status, { timeout: 10_000 }).toBe(200);
    expect(node.output.stdout).not.toContain('the database is away:');
  });
});

/** What a node says of its readiness. */
const readiness = async (url: string) => (await fetch(`${url}/health/ready`)).text();

/** What it says once the database is back: for a minute, perhaps that a change was not confirmed meanwhile. */
const isBack = /"ok"|not confirmed a change/;

describe('while the database is away', () => {
  const grace = { DOOR_GRACE_SECONDS: '60' };

  it('each door says that its answer is an old one, and a change is refused', async () => {
    const { keys, secrets, atDoor, verify } = await start(grace);
    const [{ id }] = keys as [Known];
    const read = async () => {
      const answer = await atDoor('GET', 'self');
      return { stale: answer.headers.get('x-keyward-stale'), body: await answer.json() };
    };
    const itself = await read();
    expect(itself).toMatchObject({ stale: null, body: { id, name: 'Laptop', is_active: true } });
    expect((await atDoor('GET', 'authorize')).headers.get('x-keyward-stale')).toBeNull();
    const verified = (await verify(secrets[0] ?? '')).body;
    expect(verified).toMatchObject({ valid: true, stale: false });
    await killed();
    expect((await verify(secrets[0] ?? '')).body).toEqual({ ...verified, stale: true });
    const authorized = await atDoor('GET', 'authorize');
    expect(authorized.status).toBe(200);
    expect(authorized.headers.get('x-keyward-stale')).toBe('1');
    expect(await read()).toEqual({ ...itself, stale: '1' });
    expect((await atDoor('DELETE', 'self')).status).toBe(503);
    expect((await atDoor('GET', 'authorize')).status).toBe(200);
  });

  it('the last change of the same node counts', async () => {
    const { keys, atDoor, call } = await start(grace);
    const [one, two, three] = keys as [Known, Known, Known];
    const statuses = async () => {
      const all: number[] = [];
      for (const { secret } of [one, two, three]) all.push((await atDoor('GET', 'authorize', secret)).status);
      return all;
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    expect((await call('DELETE', `/auth/keys/${one.id}`)).status).toBe(200);
    await killed();
    expect(await statuses()).toEqual([503, 200, 200]);
  });

  it('a deactivation by another node is not seen, until the first verification after it', async () => {
    const { nodes, keys, atDoor, url, call } = await start(grace, { nodes: 2 });
    const [one] = keys as [Known];
    const [{ url: away }] = nodes as [(typeof nodes)[number]];
    expect((await atDoor('GET', 'authorize', one.secret)).status).toBe(200);
    network.swallow(true);
    await expect
      .poll(async () => (await atDoor('GET', 'authorize', one.secret)).headers.get('x-keyward-stale'), {
        timeout: 20_000,
      })
      .toBe('1');
    await queryServer(url)(`update api_key set is_active = ${'false'} where id = ${one.id}`);
    expect((await atDoor('GET', 'authorize', one.secret)).status).toBe(200);
    network.swallow(false);
    await expect.poll(() => readiness(away), { timeout: 20_000 }).toMatch(isBack);
    expect((await atDoor('GET', 'authorize', one.secret)).status).toBe(401);
    expect(call).toBeDefined();
  });

  it('a rate limit holds', async () => {
    const { node, atDoor, secrets } = await start(grace, {
      values: { rateLimit: 50, rateLimitWindow: 3600 },
    });
    for (let time = 0; time < 10; time += 1) expect((await atDoor('GET', 'authorize')).status).toBe(200);
    await killed();
    const load = opened.use(await loadDoor([node], secrets.slice(0, 1)));
    await load.untilAnswered(500);
    await load.stop();
    expect(statusesOf(load.between(0))).toEqual({ 200: 40, 429: expect.any(Number) });
  });

  it('uses are counted, and written when it is back', async () => {
    const { node, secrets, query } = await start(grace);
    const load = opened.use(await loadDoor([node], secrets));
    await load.untilAnswered(2 * known);
    const back = await killed();
    await load.untilAnswered(4 * known);
    await back();
    await expect.poll(() => readiness(node.url), { timeout: 20_000 }).toMatch(isBack);
    await load.untilAnswered(2 * known);
    await load.stop();
    node.signal('SIGTERM');
    await node.ended;
    const { 200: accepted, ...others } = statusesOf(load.between(0));
    expect(others).toEqual({});
    const [counted] = await query(
      "select sum(count)::integer as valid from api_key_use where outcome = 'valid'",
    );
    expect(counted).toEqual({ valid: accepted });
  });
});

it('a quota is not exceeded across many outages on two nodes', async () => {
  const units = 20_000;
  const { nodes, secrets, query } = await start({ DOOR_GRACE_SECONDS: '60' }, { nodes: 2, units });
  const load = opened.use(await loadDoor(nodes, secrets.slice(0, 1)));
  const count = rounds(20, 4);
  for (let round = 0; round < count; round += 1) {
    await load.untilAnswered(200);
    const back = await killed();
    await load.untilAnswered(200);
    await back();
    await load.untilAnswered(200);
  }
  await load.stop();
  for (const node of nodes) node.signal('SIGTERM');
  await Promise.all(nodes.map(({ ended }) => ended));
  const statuses = statusesOf(load.between(0));
  const [quota] = await query('select taken from api_key_quota');
  report('outages with a quota, two nodes', { rounds: count, units, ...statuses, taken: quota?.['taken'] });
  expect(statuses[200]).toBeGreaterThan(0);
  expect(Object.keys(statuses).filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
  expect(statuses[200]).toBeLessThanOrEqual(Number(quota?.['taken']));
  expect(quota?.['taken']).toBeLessThanOrEqual(units);
});

it('changes that PostgreSQL does not confirm leave the service ready, and degraded', async () => {
  const { call, readiness, query, atDoor } = await start({});
  const change = (session_duration: number) =>
    call('PUT', '/automation/settings', { json: { session_duration } });
  expect((await change(60)).status).toBe(200);
  expect(await readiness()).toEqual({ code: 200, status: 'ok' });
  await query("alter system set synchronous_standby_names = 'gone'");
  await query('select pg_reload_conf()');
  await delay(1500);
  expect((await change(70)).status).toBe(503);
  expect(await readiness()).toMatchObject({
    code: 200,
    status: 'degraded',
    faults: [{ part: 'database', fault: expect.stringContaining('synchronous_standby_names') }],
  });
  expect((await atDoor('GET', 'authorize')).status).toBe(200);
});

/** A key of the person, with its secret. */
interface Known {
  readonly id: number;
  readonly secret: string;
}
