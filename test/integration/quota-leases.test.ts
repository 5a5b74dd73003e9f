import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/database/db.ts';
import type { StoredQuota } from '../../src/operations/context.ts';
import { QuotaNode } from '../support/quota-nodes.ts';
import {
  changeQuota,
  createQuota,
  expectNoExcess,
  expectNoOtherLoss,
  playSteps,
  type Step,
  setUpQuotas,
} from '../support/quota-world.ts';
import { recordStatements } from '../support/record-statements.ts';

const quotas = setUpQuotas();

describe('three nodes that share a quota', () => {
  const ask = (node: number, cost: number, turns = 0) => ({ node, cost, turns });
  const many: Step = { name: 'ask', asks: [0, 1, 2, 0, 1, 2].map((node) => ask(node, 7, node)) };
  const each: Step[] = [
    many,
    { name: 'crash', node: 0 },
    many,
    { name: 'giveBack', node: 1 },
    { name: 'stop', node: 2 },
    many,
    { name: 'change', units: 90 },
    many,
    { name: 'passDay' },
    many,
  ];

  it.each([['never' as const], ['daily' as const]])(
    'lose only what crashed nodes had, with a refill of %s',
    async (refill) => {
      await playSteps(150, refill, each, expectNoOtherLoss);
      const failing: Step = { name: 'fail', node: 1, failures: ['before', undefined, 'before'] };
      await playSteps(3000, refill, [failing, ...each], expectNoOtherLoss);
    },
  );

  it('never grant more than there is if a statement fails after it was carried out', async () => {
    const failing = [0, 1].map((node): Step => ({ name: 'fail', node, failures: ['after', 'before'] }));
    await playSteps(60, 'daily', [many, ...failing, ...each], expectNoExcess);
  });
});

const takenOf = async (keyId: number) => (await new QuotaNode(quotas.database).read(keyId))?.taken;

describe('a node', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
  });

  /** A node that has units of a quota of 1000 left. */
  const createHolder = async (most?: number) => {
    const one = new QuotaNode(quotas.database, most);
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

  it('takes units for all waiting requests in one statement', async () => {
    const one = new QuotaNode(quotas.database);
    const keyId = await createQuota(5000);
    const quota = (await one.read(keyId)) as StoredQuota;
    const question = { ownerId: keyId, quota, askedAt: performance.now() + 1, now: new Date(), cost: 3 };
    vi.advanceTimersByTime(2);
    const db = new Db(quotas.database.em);
    const { sql } = await recordStatements(quotas.database, async () => {
      const uses = await Promise.all(Array.from({ length: 1000 }, () => one.leases.spend(db, question)));
      expect(uses.every((use) => use?.isGranted)).toBe(true);
    });
    // That a quota of the test before has run out may be told only now.
    expect(sql.filter((text) => /set .taken./.test(text))).toHaveLength(2);
    expect(await takenOf(keyId)).toBe(3000);
  });

  it('takes one unit for an unused key, and more for a busy one', async () => {
    const one = new QuotaNode(quotas.database);
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

  it('returns units that were unused for ten seconds, and not before', async () => {
    const { keyId, held } = await createHolder();
    await vi.advanceTimersByTimeAsync(9999);
    expect(await takenOf(keyId)).toBe(5 + held);
    await vi.advanceTimersByTimeAsync(5001);
    await vi.waitFor(async () => expect(await takenOf(keyId)).toBe(5), 20_000);
  });

  it('returns units of evicted keys, and forgets empty leases', async () => {
    const { one, keyId } = await createHolder(2);
    for (const other of [await createQuota(10), await createQuota(10)]) await one.spend(other, 1);
    await one.leases.giveBack();
    expect(await takenOf(keyId)).toBe(5);
    await one.leases.giveBack();
    const { sql } = await recordStatements(quotas.database, () => one.leases.giveBack());
    expect(sql).toEqual([]);
  });

  it('returns units once, even if the outcome of the statement is unknown', async () => {
    const { one, keyId, held, quota } = await createHolder();
    one.fail(['before', 'after']);
    await one.leases.giveBack();
    expect(one.held(keyId, quota)).toBe(held);
    await one.leases.giveBack();
    expect(one.held(keyId, quota)).toBe(0);
    await one.leases.giveBack();
    expect(await takenOf(keyId)).toBe(5);
  });

  it('spends only the units that it has while the database is away, and asks for no more', async () => {
    const { one, keyId, quota, held } = await createHolder();
    const askedAt = performance.now();
    const db = new Db(quotas.database.em);
    const spend = (cost: number) =>
      one.leases.spend(db, { ownerId: keyId, quota, askedAt, now: new Date(), cost, onlyLeased: true });
    const away = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', reason: 'database-away' });
    const { sql } = await recordStatements(quotas.database, async () => {
      expect(() => spend(held + 1)).toThrow(away);
      for (let time = 0; time < held; time += 1) expect(spend(1)).toMatchObject({ isGranted: true });
      expect(() => spend(1)).toThrow(away);
      expect(spend(0)).toMatchObject({ isGranted: true });
    });
    expect(sql).toEqual([]);
    expect(one.held(keyId, quota)).toBe(0);
    expect(await takenOf(keyId)).toBe(5 + held);
  });

  it('reads a quota again that changed while it took units', async () => {
    const { one, keyId, quota, held } = await createHolder();
    const db = new Db(quotas.database.em);
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

  it('a request past its deadline spends nothing', async () => {
    const { one, keyId, quota, held } = await createHolder();
    const late = new Db(quotas.database.em).until(performance.now() - 1);
    const question = { ownerId: keyId, quota, askedAt: performance.now(), now: new Date(), cost: held + 1 };
    await expect(one.leases.spend(late, question)).rejects.toMatchObject({ reason: 'answer-timeout' });
    await one.leases.giveBack();
    expect(await takenOf(keyId)).toBe(5);
  });
});
