import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { AccountId, QuotaRefill } from '../../src/database/tables.ts';
import type { QuotaUse, StoredQuota } from '../../src/operations/context.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { openTestDatabase } from './database.ts';
import { setClocks } from './database-clock.ts';
import { createBuilders } from './gateway.ts';
import { type Failure, QuotaNode } from './quota-nodes.ts';
import { secretListOf } from './secrets.ts';

let database: Database;
let createKey: () => Promise<number>;

/** Gives a file's tests one database, and each of them the same time at its beginning. */
export function setUpQuotas(): { readonly database: Database } {
  beforeAll(async () => {
    database = await openTestDatabase();
    const secrets = createSecrets({ peppers: secretListOf(1), encryptionKeys: secretListOf(1) });
    const { createAccount, createApiKey } = createBuilders(database, 'https://id.example.com', secrets);
    const alice: AccountId = await createAccount('alice');
    createKey = () => createApiKey(alice);
  });
  afterAll(() => database[Symbol.asyncDispose]());
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    await setClocks(database, '2026-03-01T12:00:00.000Z');
    return () => void vi.useRealTimers();
  });
  return {
    get database() {
      return database;
    },
  };
}

const execute = (statement: string) => database.em.getConnection().execute(statement);

/** Gives a new key a quota, whose period began before now. */
export async function createQuota(units: number, refill: QuotaRefill = 'never'): Promise<number> {
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

/** Gives a key another quota. */
export const changeQuota = (keyId: number, units: number) =>
  execute(
    `update api_key_quota set units = ${units}, taken = 0, generation = generation + 1 where api_key_id = ${keyId}`,
  );

const passDay = () => setClocks(database, Date.now() + 24 * 60 * 60_000);

const granted = (uses: readonly (QuotaUse | null)[], costs: readonly number[]): number =>
  costs.reduce((sum, cost, index) => sum + (uses[index]?.isGranted ? cost : 0), 0);

/** Something that happens to nodes. */
export type Step =
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

/** Nodes, and what a model knows of a quota that they share. */
export class QuotaWorld {
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

/**
 * Lets things happen to three nodes that share a quota, stops them, and expects that all that is left can be spent.
 * @param check what must hold after each step
 */
export async function playSteps(
  first: number,
  refill: QuotaRefill,
  all: readonly Step[],
  check: (world: QuotaWorld) => Promise<void>,
): Promise<void> {
  await setClocks(database, '2026-03-01T12:00:00.000Z');
  const world = new QuotaWorld(await createQuota(first, refill));
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
}

/** What crashed nodes had is lost, and nothing else: holds unless a statement fails after it was carried out. */
export async function expectNoOtherLoss(world: QuotaWorld): Promise<void> {
  const quota = await world.read();
  expect(quota.taken).toBe(world.granted + world.held(quota) + world.lost);
  expect(quota.taken).toBeLessThanOrEqual(quota.units);
}

/** No more is granted than there is: holds whatever fails. */
export async function expectNoExcess(world: QuotaWorld): Promise<void> {
  const quota = await world.read();
  expect(world.granted + world.held(quota)).toBeLessThanOrEqual(quota.taken);
  expect(quota.taken).toBeLessThanOrEqual(quota.units);
}
