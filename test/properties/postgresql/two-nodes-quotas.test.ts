import { expect, it, vi } from 'vitest';
import type { TestGateway } from '../../support/gateway.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const setup = setUpTwoNodes();

/** A key with a quota, asked for at both nodes by turns. */
async function createKey(units: number) {
  const [one] = setup.nodes;
  const { id, secret } = await one.createVerifiableKey(await one.createAccount('alice'));
  await one.createQuota(id, { units });
  const statusAt = async (node: TestGateway) =>
    (await node.rest('GET', '/keys/authorize', { headers: { 'x-api-key': secret } })).status;
  /** How many of so many requests at once pass. */
  const countPassed = async (times: number) => {
    const asked = Array.from({ length: times }, (_, index) => statusAt(setup.nodes[index % 2 ? 1 : 0]));
    const statuses = await Promise.all(asked);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    return statuses.filter((status) => status === 200).length;
  };
  return { id, countPassed };
}

it('two nodes grant exactly a quota, once both have returned what they do not use', async () => {
  const { countPassed } = await createKey(500);
  let passed = 0;
  for (let round = 0; round < 20; round += 1) passed += await countPassed(30);
  expect(passed).toBeLessThanOrEqual(500);
  expect(passed).toBeGreaterThan(400);
  for (let round = 0; round < 3; round += 1) {
    for (const node of setup.nodes) await node.keyQuotas.giveBack();
    passed += await countPassed(200);
  }
  expect(passed).toBe(500);
});

it('a quota changed on one node ends what the other holds', async () => {
  const { id, countPassed } = await createKey(1000);
  for (let round = 0; round < 4; round += 1) expect(await countPassed(10)).toBe(10);
  await setup.nodes[0].database.em
    .getConnection()
    .execute('update api_key_quota set units = 7, taken = 0, generation = generation + 1');
  expect(await countPassed(50)).toBe(7);
  expect(await setup.nodes[1].rows('api_key')).toMatchObject([{ id }]);
});

it('a new period starts once, however many requests both nodes get at once', async () => {
  const { countPassed } = await createKey(100);
  for (let period = 0; period < 3; period += 1) {
    // Some of the units are with the nodes when the period ends.
    if (period > 0) expect(await countPassed(40)).toBe(0);
    await setup.nodes[0].database.em
      .getConnection()
      .execute("update api_key_quota set refill = 'daily', refills_at = now() - interval '1 second'");
    let passed = 0;
    for (let round = 0; round < 5; round += 1) {
      passed += await countPassed(60);
      for (const node of setup.nodes) await node.keyQuotas.giveBack();
    }
    expect(passed).toBe(100);
  }
});

it('a node whose clock is ahead renews no quota early', async () => {
  const { countPassed } = await createKey(100);
  await setup.nodes[0].database.em
    .getConnection()
    .execute("update api_key_quota set refill = 'daily', refills_at = now() - interval '1 second'");
  expect(await countPassed(150)).toBe(100);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * 3_600_000 });
  try {
    expect(await countPassed(50)).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
