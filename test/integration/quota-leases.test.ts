import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { Db } from '../../src/database/db.ts';
import type { AccountId, QuotaRefill } from '../../src/database/tables.ts';
import type { QuotaUse, StoredQuota } from '../../src/operations/context.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { openTestDatabase } from '../support/database.ts';
import { setClocks } from '../support/database-clock.ts';
import { createBuilders } from '../support/gateway.ts';
import { type Failure, QuotaNode } from '../support/quota-nodes.ts';
import { recordStatements } from '../support/record-statements.ts';
import { secretListOf } from '../support/secrets.ts';

let database: Database;
let alice: AccountId;
let createKey: () => Promise<number>;
beforeAll(async () => {
  database = await openTestDatabase();
  const secrets = createSecrets({ peppers: secretListOf(1), encryptionKeys: secretListOf(1) });
  const { createAccount, createApiKey } = createBuilders(database, 'https://id.example.com', secrets);
  alice = await createAccount('alice');
  createKey = () => createApiKey(alice);
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  await setClocks(database, '2026-03-01T12:00:00.000Z');
  return () => void vi.useRealTimers();
});

const execute = (statement: string) => database.em.getConnection().execute(statement);

/** Gives a new key a quota, whose period began before now. */
async function createQuota(units: number, refill: QuotaRefill = 'never'): Promise<number> {
  const keyId = await createKey();
  await execute(
    `insert into api_key_quota (api_key_id, units, refill, taken, refills_at, generation)
     values (${keyId}, ${units}, '${refill}', 0, ${refill === 'never' ? 'null' : at('2026-03-02')}, 7)`,
  );
  return keyId;
}

/** A day's beginning, as the database keeps it. */
const at = (day: string): string => {
  const isSqlite = database.pool === undefined;
  return isSqlite ? `${Date.parse(day)}` : `'${day}T00:00:00Z'`;
};

const changeQuota = (keyId: number, units: number) =>
  execute(
    `update api_key_quota set units = ${units}, taken = 0, generation = generation + 1 where api_key_id = ${keyId}`,
  );

const passDay = () => setClocks(database, Date.now() + 24 * 60 * 60_000);

const granted = (uses: readonly (QuotaUse | null)[], costs: readonly number[]): number =>
  costs.reduce((sum, cost, index) => sum + (uses[index]?.isGranted ? cost : 0), 0);

/** Something that happens to nodes. */
type Step =
  | { readonly name: 'ask'; readonly asks: readonly Ask[] }
  | { readonly name: 'crash' | 'giveBack' | 'stop'; readonly node: number }
  | { readonly name: 'fail'; readonly node: number; readonly failures: readonly (Failure | undefined)[] }
  | { readonly name: 'change'; readonly units: number }
  | { readonly name: 'passDay' };

interface Ask {
  readonly node: number;
  readonly cost: number;
  readonly turns: number;
}

const node = fc.nat({ max: 2 });
const units = fc.oneof(fc.nat({ max: 150 }), fc.nat({ max: 3000 }));
const cost = fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 40 }));
const ask = fc.record({ node, cost, turns: fc.nat({ max: 3 }) });
const steps = (failures: readonly (Failure | undefined)[]) =>
  fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          name: fc.constant('ask' as const),
          asks: fc.array(ask, { minLength: 1, maxLength: 16 }),
        }),
      },
      fc.record({ name: fc.constantFrom('crash' as const, 'giveBack' as const, 'stop' as const), node }),
      fc.record({
        name: fc.constant('fail' as const),
        node,
        failures: fc.array(fc.constantFrom(...failures), { maxLength: 4 }),
      }),
      fc.record({ name: fc.constant('change' as const), units }),
      fc.record({ name: fc.constant('passDay' as const) }),
    ),
    { maxLength: 14, size: 'max' },
  );

/** Nodes, and what a model knows of a quota that they share. */
class World {
  readonly nodes: readonly QuotaNode[];
  readonly keyId: number;
  /** Of the generation that was seen last: how many units were granted, and lost. */
  generation = 7;
  granted = 0;
  lost = 0;

  constructor(keyId: number) {
    this.keyId = keyId;
    this.nodes = [0, 1, 2].map(() => new QuotaNode(database));
  }

  nodeAt(index: number): QuotaNode {
    return this.nodes[index] as QuotaNode;
  }

  async read(): Promise<StoredQuota> {
    const quota = (await this.nodeAt(0).read(this.keyId)) as StoredQuota;
    const { generation } = quota;
    if (generation !== this.generation) Object.assign(this, { generation, granted: 0, lost: 0 });
    return quota;
  }

  held(quota: StoredQuota): number {
    return this.nodes.reduce((sum, each) => sum + each.held(this.keyId, quota), 0);
  }

  async do(step: Step): Promise<void> {
    if (step.name === 'change') await changeQuota(this.keyId, step.units);
    else if (step.name === 'passDay') await passDay();
    else if (step.name === 'ask') await this.ask(step.asks);
    else if (step.name === 'fail') this.nodeAt(step.node).fail(step.failures);
    else await this.part(step.name, this.nodeAt(step.node));
    await this.read();
  }

  async part(how: 'crash' | 'giveBack' | 'stop', one: QuotaNode): Promise<void> {
    if (how === 'giveBack') return one.leases.giveBack();
    const before = await this.read();
    const held = one.held(this.keyId, before);
    if (how === 'stop') await one.stop();
    else one.crash();
    const { taken } = await this.read();
    this.lost += held - (before.taken - taken);
  }

  async ask(asks: readonly Ask[]): Promise<void> {
    const outcomes = await Promise.allSettled(
      asks.map((each) => this.nodeAt(each.node).spend(this.keyId, each.cost, each.turns)),
    );
    const uses = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : null));
    await this.read();
    this.granted += granted(
      uses,
      asks.map(({ cost }) => cost),
    );
    for (const use of uses) if (use) expect(use.remaining).toBeGreaterThanOrEqual(0);
  }
}

describe('nodes that share a quota', () => {
  /** @param check what must hold after each step */
  const property = (failures: readonly (Failure | undefined)[], check: (world: World) => Promise<void>) =>
    fc.asyncProperty(
      units,
      fc.constantFrom('never' as const, 'daily' as const),
      steps(failures),
      async (first, refill, all) => {
        await setClocks(database, '2026-03-01T12:00:00.000Z');
        const world = new World(await createQuota(first, refill));
        for (const step of all) {
          await world.do(step);
          await check(world);
        }
        for (const each of world.nodes) {
          each.fail([]);
          await each.stop();
        }
        await check(world);
        const quota = await world.read();
        const left = quota.over ? quota.units : quota.units - quota.taken;
        const rest = [left + 1, left, 1].map((cost) => () => world.nodeAt(0).spend(world.keyId, cost));
        const isGranted: unknown[] = [];
        for (const spend of rest) isGranted.push((await spend())?.isGranted);
        expect(isGranted).toEqual([false, true, false]);
      },
    );

  it('lose what crashed nodes had and nothing else, and grant all the rest', async () => {
    await fc.assert(
      property([undefined, 'before'], async (world) => {
        const quota = await world.read();
        expect(quota.taken).toBe(world.granted + world.held(quota) + world.lost);
        expect(quota.taken).toBeLessThanOrEqual(quota.units);
      }),
      { numRuns: 10 },
    );
  });

  it('never grant more than there is, whatever fails', async () => {
    await fc.assert(
      property([undefined, 'before', 'after'], async (world) => {
        const quota = await world.read();
        expect(world.granted + world.held(quota)).toBeLessThanOrEqual(quota.taken);
        expect(quota.taken).toBeLessThanOrEqual(quota.units);
      }),
      { numRuns: 10 },
    );
  });
});

const takenOf = async (keyId: number) => (await new QuotaNode(database).read(keyId))?.taken;

describe('a node', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
  });

  /** A node that has units of a quota of 1000 left. */
  const createHolder = async (most?: number) => {
    const one = new QuotaNode(database, most);
    const keyId = await createQuota(1000);
    for (let time = 0; time < 5; time += 1) {
      vi.advanceTimersByTime(1);
      await one.spend(keyId, 1);
    }
    const quota = (await one.read(keyId)) as StoredQuota;
    const held = one.held(keyId, quota);
    expect(held).toBeGreaterThan(0);
    expect(quota.taken).toBe(5 + held);
    return { one, keyId, quota, held };
  };

  it('takes units in one statement for all who wait', async () => {
    const one = new QuotaNode(database);
    const keyId = await createQuota(5000);
    const quota = (await one.read(keyId)) as StoredQuota;
    const question = { ownerId: keyId, quota, askedAt: performance.now() + 1, now: new Date(), cost: 3 };
    vi.advanceTimersByTime(2);
    const db = new Db(database.em);
    const { sql } = await recordStatements(database, async () => {
      const uses = await Promise.all(Array.from({ length: 1000 }, () => one.leases.spend(db, question)));
      expect(uses.every((use) => use?.isGranted)).toBe(true);
    });
    // That a quota of the test before has run out may be told only now.
    expect(sql.filter((text) => /set .taken./.test(text))).toHaveLength(2);
    expect(await takenOf(keyId)).toBe(3000);
  });

  it('takes one where a key is not used, and more the more it is', async () => {
    const one = new QuotaNode(database);
    const keyId = await createQuota(1_000_000);
    const taken: unknown[] = [];
    const use = async (times: number, milliseconds: number) => {
      for (let time = 0; time < times; time += 1) {
        vi.advanceTimersByTime(milliseconds);
        await one.spend(keyId, 1);
      }
      taken.push(await takenOf(keyId));
    };
    await use(1, 0);
    await use(1, 60_000);
    await use(1, 9000);
    // Ten times a second: soon what it uses in ten seconds.
    await use(1, 100);
    await use(8, 100);
    await use(64, 100);
    await use(100, 100);
    expect(taken).toEqual([1, 2, 4, 4, 20, 120, 220]);
  });

  it('gives back what was not used for ten seconds, and not before', async () => {
    const { keyId, held } = await createHolder();
    await vi.advanceTimersByTimeAsync(9999);
    expect(await takenOf(keyId)).toBe(5 + held);
    await vi.advanceTimersByTimeAsync(5001);
    await vi.waitFor(async () => expect(await takenOf(keyId)).toBe(5));
  });

  it('gives back what made room for others, and forgets what has nothing left', async () => {
    const { one, keyId } = await createHolder(2);
    for (const other of [await createQuota(10), await createQuota(10)]) await one.spend(other, 1);
    await one.leases.giveBack();
    expect(await takenOf(keyId)).toBe(5);
    await one.leases.giveBack();
    const { sql } = await recordStatements(database, () => one.leases.giveBack());
    expect(sql).toEqual([]);
  });

  it('gives back once, also where nobody knows whether it did', async () => {
    const { one, keyId, held, quota } = await createHolder();
    one.fail(['before', 'after']);
    await one.leases.giveBack();
    expect(one.held(keyId, quota)).toBe(held);
    await one.leases.giveBack();
    expect(one.held(keyId, quota)).toBe(0);
    await one.leases.giveBack();
    expect(await takenOf(keyId)).toBe(5);
  });

  it('looks again where the quota was read while it took units', async () => {
    const { one, keyId, quota, held } = await createHolder();
    const db = new Db(database.em);
    const ask = (seen: StoredQuota, cost: number) =>
      one.leases.spend(db, {
        ownerId: keyId,
        quota: seen,
        askedAt: performance.now(),
        now: new Date(),
        cost,
      });
    vi.advanceTimersByTime(1);
    const taking = ask(quota, held + 1);
    vi.advanceTimersByTime(1);
    expect((await taking)?.isGranted).toBe(true);
    await changeQuota(keyId, 3);
    expect(await ask((await one.read(keyId)) as StoredQuota, 1)).toMatchObject({ limit: 3, remaining: 2 });
  });

  it('spends nothing for a request whose time is over', async () => {
    const { one, keyId, quota, held } = await createHolder();
    const late = new Db(database.em).until(performance.now() - 1);
    const question = { ownerId: keyId, quota, askedAt: performance.now(), now: new Date(), cost: held + 1 };
    await expect(one.leases.spend(late, question)).rejects.toMatchObject({ reason: 'answer-timeout' });
    await one.leases.giveBack();
    expect(await takenOf(keyId)).toBe(5);
  });
});
