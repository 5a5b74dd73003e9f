import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Rates } from '../../../src/config/config.ts';
import { inTransaction } from '../../support/database.ts';
import { moveDatabaseClock, setClocks } from '../../support/database-clock.ts';
import { createTestGateway, type TestGateway } from '../../support/gateway.ts';
import { startIssuer, type TestIssuer } from '../../support/issuer.ts';
import { recordStatements } from '../../support/record-statements.ts';

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer?.[Symbol.asyncDispose]());
afterEach(() => {
  vi.useRealTimers();
});

const send = (gateway: TestGateway, call: { token?: string; address?: string }) =>
  gateway.rest('GET', '/auth/private-key', call);

/** Sends a request, and waits until the other nodes can know of it. */
const sendAndTell = async (gateway: TestGateway, call: { token?: string; address?: string }) => {
  const answer = await send(gateway, call);
  await gateway.counts?.told();
  return answer;
};

/** Two nodes of one database, both limited. */
async function startNodes(rates: Rates) {
  await using started = new AsyncDisposableStack();
  const first = started.use(await createTestGateway(issuer, { rates }));
  const [{ name }] = (await first.database.em
    .getConnection()
    .execute('select current_database() as name')) as [{ name: string }];
  const databaseUrl = Object.assign(new URL(inject('postgresUrl') ?? ''), { pathname: `/${name}` }).href;
  const second = started.use(await createTestGateway(issuer, { rates, databaseUrl }));
  const nodes = [first, second] as const;
  const stack = started.move();
  return { first, nodes, databaseUrl, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** How many of so many requests from one address pass, each at the other node than the one before. */
const countPassed = async (nodes: readonly TestGateway[], times: number) => {
  const call = { address: '203.0.113.9', token: await issuer.sign() };
  let passed = 0;
  for (let sent = 0; sent < times; sent += 1) {
    const { status } = await sendAndTell(nodes[sent % nodes.length] as TestGateway, call);
    expect(status).toBeOneOf([200, 429]);
    if (status === 200) passed += 1;
  }
  return passed;
};

const rowsOf = (node: TestGateway) =>
  node.database.em.getConnection().execute('select key, points from rate_limit order by key');

describe('nodes that share a database', () => {
  it('allow at most a tenth of the rate too much for each node', async () => {
    await using shared = await startNodes({ address: { requests: 100, seconds: 60 } });
    const passed = await countPassed(shared.nodes, 300);
    process.stdout.write(`two nodes, 100 requests a minute: ${passed} of 300 passed\n`);
    expect(passed).toBeGreaterThanOrEqual(100);
    expect(passed).toBeLessThanOrEqual(120);
  });

  it('count together, and store no name', async () => {
    const rate = { requests: 4, seconds: 60 };
    await using shared = await startNodes({ address: rate, account: rate });
    await countPassed(shared.nodes, 12);
    const keys = [{ key: expect.stringMatching(/^account:[\w-]{43}$/) }, { key: 'address:203.0.113.9' }];
    await vi.waitFor(async () => expect(await rowsOf(shared.first)).toMatchObject(keys), 20_000);
  });

  it('start a new window together', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    await using shared = await startNodes({ address: { requests: 50, seconds: 30 } });
    const count = () => countPassed(shared.nodes, 150);
    const pass = async (milliseconds: number) => {
      vi.advanceTimersByTime(milliseconds);
      await setClocks(shared.first.database, Date.now());
    };
    await pass(0);
    expect(await count()).toBeLessThanOrEqual(65);
    await pass(29_000);
    expect(await count()).toBe(0);
    await pass(2_000);
    const passed = await count();
    expect(passed).toBeGreaterThanOrEqual(50);
    expect(passed).toBeLessThanOrEqual(65);
  });

  it('delete windows that ended minutes ago, and impossible ones', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    await using shared = await startNodes({ address: { requests: 1, seconds: 30 } });
    const { database } = shared.first;
    await setClocks(database, '2026-03-01T12:00:00.000Z');
    for (const address of ['203.0.113.1', '203.0.113.2']) await send(shared.first, { address });
    await vi.waitFor(async () => expect(await rowsOf(shared.first)).toHaveLength(2), 20_000);
    await database.em.getConnection().execute("insert into rate_limit values ('far', 1, 4e12)");
    vi.advanceTimersByTime(10 * 60_000);
    await setClocks(database, '2026-03-01T12:10:00.000Z');
    await send(shared.first, { address: '203.0.113.3' });
    const left = [{ key: 'address:203.0.113.3', points: 1 }];
    await vi.waitFor(async () => expect(await rowsOf(shared.first)).toEqual(left), 20_000);
  });

  it.each([-86_400, -3600, 3600, 86_400])(
    'refuse for no longer than the window, and no shorter, where the clock of one is %i s ahead',
    async (seconds) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      await using shared = await startNodes({ address: { requests: 20, seconds: 60 } });
      const call = { address: '203.0.113.9', token: await issuer.sign({ exp: 4_000_000_000 }) };
      const trueTime = Date.now();
      const refusedFor: number[] = [];
      for (let sent = 0; sent < 60; sent += 1) {
        const node = sent % 2;
        vi.setSystemTime(trueTime + node * seconds * 1000);
        const { status, headers } = await sendAndTell(shared.nodes[node] as TestGateway, call);
        if (status === 429) refusedFor.push(Number(headers.get('retry-after')));
      }
      // Together, and not each for itself.
      expect(refusedFor.length).toBeGreaterThanOrEqual(36);
      expect(Math.max(...refusedFor)).toBeLessThanOrEqual(60);
      expect(Math.min(...refusedFor)).toBeGreaterThan(30);
    },
  );

  it("refuse for no longer than the window if the database's clock is set back", async () => {
    await using shared = await startNodes({ address: { requests: 20, seconds: 60 } });
    const { database } = shared.first;
    await moveDatabaseClock(database, 3600);
    expect(await countPassed(shared.nodes, 60)).toBeLessThanOrEqual(24);
    await moveDatabaseClock(database, 0);
    // Another node learns of what these have counted.
    await using third = await createTestGateway(issuer, {
      rates: { address: { requests: 20, seconds: 60 } },
      databaseUrl: shared.databaseUrl,
    });
    const call = { address: '203.0.113.9', token: await issuer.sign() };
    const refused = await vi.waitFor(async () => {
      const { status, headers } = await send(third, call);
      expect(status).toBe(429);
      return Number(headers.get('retry-after'));
    });
    expect(refused).toBeLessThanOrEqual(60);
    const connection = database.em.getConnection();
    const [row] = await connection.execute(
      'select expire - extract(epoch from pg_catalog.now()) * 1000 as left from rate_limit',
    );
    expect(Number(row?.['left'])).toBeLessThanOrEqual(60_000);
  });
});

describe('a node', () => {
  it('does not share counts of less than a tenth of a rate', async () => {
    await using gateway = await createTestGateway(issuer, {
      rates: { account: { requests: 600, seconds: 60 } },
    });
    const { sql } = await recordStatements(gateway.database, async () => {
      expect(await countPassed([gateway], 59)).toBe(59);
    });
    expect(sql.filter((statement) => statement.includes('rate_limit'))).toEqual([]);
    await send(gateway, { token: await issuer.sign() });
    await vi.waitFor(async () => expect(await rowsOf(gateway)).toMatchObject([{ points: 60 }]), 20_000);
  });

  it('does not share counts that a response may still change', async () => {
    await using gateway = await createTestGateway(issuer, {
      rates: { account: { requests: 100, seconds: 60 } },
    });
    const token = await issuer.sign();
    for (let sent = 0; sent < 9; sent += 1) {
      const { status } = await gateway.graphql('{ apiKeys(first: 100) { edges { node { metadata } } } }', {
        token,
      });
      expect(status).toBe(200);
    }
    expect(await rowsOf(gateway)).toEqual([]);
    await send(gateway, { token });
    await vi.waitFor(async () => expect(await rowsOf(gateway)).toMatchObject([{ points: 10 }]), 20_000);
  });

  it('shares each further tenth in one statement, and nothing above the rate', async () => {
    await using gateway = await createTestGateway(issuer, {
      rates: { address: { requests: 50, seconds: 60 } },
    });
    const { sql } = await recordStatements(gateway.database, async () => {
      expect(await countPassed([gateway], 500)).toBe(50);
    });
    const statements = sql.filter((statement) => statement.includes('rate_limit'));
    expect(statements.length).toBeGreaterThan(1);
    expect(statements.length).toBeLessThanOrEqual(11);
  });

  it('continues from its own counts if the table was emptied', async () => {
    await using gateway = await createTestGateway(issuer, {
      rates: { address: { requests: 30, seconds: 60 } },
    });
    const connection = gateway.database.em.getConnection();
    expect(await countPassed([gateway], 20)).toBe(20);
    await vi.waitFor(async () => expect(await rowsOf(gateway)).not.toEqual([]), 20_000);
    await connection.execute('truncate rate_limit');
    expect(await countPassed([gateway], 20)).toBe(10);
  });

  it('counts alone while the database cannot count', async () => {
    await using gateway = await createTestGateway(issuer, {
      rates: { address: { requests: 4, seconds: 60 } },
    });
    await gateway.database.em.getConnection().execute('drop table rate_limit');
    expect(await countPassed([gateway], 8)).toBe(4);
  });

  it('waits for no count, and leaves connections free while counts hang', async () => {
    await using shared = await startNodes({ address: { requests: 10, seconds: 60 } });
    const token = await issuer.sign();
    const { promise: end, resolve: release } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const locking = inTransaction(shared.nodes[1].database, async (execute) => {
      await execute('lock table rate_limit in access exclusive mode');
      hold();
      await end;
    });
    await held;
    try {
      const addresses = Array.from({ length: 100 }, (_, at) => `203.0.113.${at}`);
      const statuses = new Set<number>();
      for (const address of addresses) statuses.add((await send(shared.first, { address, token })).status);
      expect(statuses).toEqual(new Set([200]));
      const waiting = await shared.nodes[1].database.em.getConnection().execute(
        `select 1 from pg_stat_activity
         where wait_event_type = 'Lock' and query like '%insert into rate_limit%' and datname = current_database()`,
      );
      expect(waiting.length).toBe(2);
    } finally {
      release();
      await locking;
    }
    await vi.waitFor(async () => expect(await rowsOf(shared.first)).toHaveLength(2), 20_000);
  });
});
