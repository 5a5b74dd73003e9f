import { expect, it } from 'vitest';
import { inTransaction } from '../../support/database.ts';
import { setUpTwoNodes } from '../../support/two-nodes.ts';

const setup = setUpTwoNodes();
const hour = 3_600_000;

it('counts of both nodes are added up, and can be read on either', async () => {
  const [one, other] = setup.nodes;
  const alice = await one.createAccount('alice');
  const keys = await Promise.all(Array.from({ length: 10 }, () => one.createVerifiableKey(alice)));
  const headersOf = ({ secret }: { secret: string }) => ({ headers: { 'x-api-key': secret } });
  for (let round = 0; round < 5; round += 1) {
    const calls = [...keys, ...keys.toReversed()].map((key, index) =>
      (index < keys.length ? one : other).rest('GET', '/keys/authorize', headersOf(key)),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    await Promise.all(setup.nodes.map((node) => node.keyUsage.write()));
  }
  const token = await setup.issuer.sign();
  for (const node of setup.nodes) {
    const { body } = await node.rest('GET', '/auth/keys/usage', { token });
    const sum = body.counts.reduce((total: number, { count }: { count: number }) => total + count, 0);
    expect(sum).toBe(100);
  }
});

it('old counts are deleted by one node at a time', async () => {
  const [one, other] = setup.nodes;
  const key = await one.createApiKey(await one.createAccount('alice'));
  const old = new Date(Math.floor(Date.now() / hour) * hour - 91 * 24 * hour).toISOString();
  await one.createUses([[key, old, 'valid', 1]]);
  // The first is at it as long as its transaction lasts.
  await inTransaction(one.database, async (execute) => {
    await execute('select pg_advisory_xact_lock(8242551300629245825)');
    await other.keyUsage.clean();
    expect(await other.uses()).toHaveLength(1);
  });
  await other.keyUsage.clean();
  expect(await one.uses()).toEqual([]);
});
