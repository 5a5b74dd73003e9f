import { expect, it } from 'vitest';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const most = 100;
const setup = setUpTwoNodes({ changesPerDay: most });

it("let an account make exactly a day's changes together", async () => {
  const token = await setup.issuer.sign();
  const alice = await setup.nodes[0].createAccount('alice');
  // Changes of different keys wait for each other only where they are counted.
  const keys = await Promise.all(Array.from({ length: 12 }, () => setup.nodes[0].createApiKey(alice)));
  const renameOften = async (key: number) => {
    const statuses: number[] = [];
    for (let turn = 0; turn < 15; turn += 1) {
      const node = setup.nodes[(turn + key) % 2 === 0 ? 0 : 1];
      const json = { name: `name ${turn}` };
      statuses.push((await node.rest('PATCH', `/auth/keys/${key}`, { token, json })).status);
    }
    return statuses;
  };
  const statuses = (await Promise.all(keys.map(renameOften))).flat();
  expect(statuses.filter((status) => status === 200)).toHaveLength(most);
  expect(statuses.filter((status) => status === 429)).toHaveLength(12 * 15 - most);
  const events = await setup.nodes[0].rows('audit_event');
  expect(events.map(({ of_day: number }) => Number(number) % 1_000_000_000)).toEqual(
    Array.from({ length: most }, (_, index) => index + 1),
  );
});
