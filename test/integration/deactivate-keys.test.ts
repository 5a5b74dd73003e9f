import { describe, expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import type { AccountId, ApiKey } from '../../src/database/tables.ts';
import { type DeactivateOptions, deactivateLines } from '../../src/transfer/deactivate-keys.ts';
import { readLines } from '../../src/transfer/read-lines.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

/** Ends the keys that a text names, and returns the totals and the refused lines. */
async function end(text: string, options: Partial<DeactivateOptions> = {}) {
  const refused: [number, string][] = [];
  const chunks = (async function* () {
    yield Buffer.from(text);
  })();
  const totals = await deactivateLines(new Db(setup.gateway.database.em), readLines(chunks), {
    reason: null,
    isDryRun: false,
    onRefused: (number, why) => refused.push([number, why]),
    ...options,
  });
  return { totals, refused };
}

const create = async (subject: string, values: Partial<ApiKey> = {}) => {
  const account = await setup.gateway.createAccount(subject);
  return { account, id: await setup.gateway.createApiKey(account, values) };
};

const activeIds = async () =>
  (await setup.gateway.rows('api_key')).filter((row) => row['is_active']).map(({ id }) => Number(id));

const trail = async (account: AccountId) =>
  (await setup.gateway.rows('audit_event')).filter((row) => row['account_id'] === account);

describe('keys:end', () => {
  it('ends keys by id and prefix, shows their owners the reason, and leaves the others', async () => {
    const alice = await create('alice');
    const bob = await create('bob', { keyPrefix: 'sk-b0b0b0' });
    const carol = await create('carol', { keyPrefix: 'sk-ca0101' });
    const text = `# restored\r\n${alice.id}\r\n\r\n  sk-b0b0b0  \n`;
    const { totals, refused } = await end(text, { reason: 'Restored from a backup' });
    expect([totals, refused]).toEqual([{ ended: 2, inactive: 0, refused: 0 }, []]);
    expect(await activeIds()).toEqual([carol.id]);
    for (const { account, id } of [alice, bob])
      expect(await trail(account)).toMatchObject([
        {
          actor: 'operator',
          other_id: null,
          action: 'api-key-deactivated',
          target: id,
          reason: 'Restored from a backup',
          address: null,
          details: '[{"field":"is_active","from":true,"to":false}]',
        },
      ]);
    expect(await trail(carol.account)).toEqual([]);
  });

  it('the owner sees that an operator did it', async () => {
    const { id } = await create('alice');
    await end(`${id}`, { reason: 'Leaked' });
    const token = await setup.sign({ sub: 'alice' });
    expect((await setup.gateway.rest('GET', '/audit-events', { token })).body).toMatchObject([
      { action: 'api-key-deactivated', actor: 'operator', reason: 'Leaked', on_user_id: null },
    ]);
  });

  it('a second time → nothing changes', async () => {
    const { account, id } = await create('alice');
    expect((await end(`${id}\n${id}\n`)).totals).toEqual({ ended: 1, inactive: 1, refused: 0 });
    const before = await setup.stored();
    expect((await end(`${id}\n`)).totals).toEqual({ ended: 0, inactive: 1, refused: 0 });
    expect(await setup.stored()).toEqual(before);
    expect(await trail(account)).toHaveLength(1);
  });

  it('changes nothing with --dry-run, and reports the same', async () => {
    const { id } = await create('alice');
    await create('bob', { isActive: false, keyPrefix: 'sk-b0b0b0' });
    const before = await setup.stored();
    const text = `${id}\nsk-b0b0b0\nsk-000000\n`;
    const { totals, refused } = await end(text, { isDryRun: true });
    expect(await setup.stored()).toEqual(before);
    expect(await end(text)).toEqual({ totals, refused });
    expect(totals).toEqual({ ended: 1, inactive: 1, refused: 1 });
  });

  it('a line that matches no key or several → refused, without repeating it; others work', async () => {
    const alice = await create('alice', { keyPrefix: 'sk-111111' });
    const bob = await create('bob', { keyPrefix: 'sk-111111', isActive: false });
    const carol = await create('carol');
    const secret = `sk-111111.${'s'.repeat(64)}`;
    const lines = ['sk-111111', secret, '4294967297', '99', '-1', 'x'.repeat(70_000), `${carol.id}`];
    const { totals, refused } = await end(lines.join('\n'));
    const unknown = 'No key has this id or prefix.';
    expect(refused).toEqual([
      [1, `Several keys have this prefix: ${alice.id}, ${bob.id}. Give the id.`],
      [2, unknown],
      [3, unknown],
      [4, unknown],
      [5, unknown],
      [6, 'Is longer than 64 KiB, or no UTF-8.'],
    ]);
    expect(totals).toEqual({ ended: 1, inactive: 0, refused: 6 });
    expect(await activeIds()).toEqual([alice.id]);
  });

  it('ends more keys than one transaction takes', async () => {
    const account = await setup.gateway.createAccount('alice');
    const ids: number[] = [];
    for (let made = 0; made < 205; made += 1) ids.push(await setup.gateway.createApiKey(account));
    expect((await end(ids.join('\n'))).totals).toEqual({ ended: 205, inactive: 0, refused: 0 });
    expect(await activeIds()).toEqual([]);
    expect(await trail(account)).toHaveLength(205);
  });

  it('ends each key once if several commands run at the same time', async () => {
    const ids: number[] = [];
    for (let made = 0; made < 30; made += 1) {
      const account = await setup.gateway.createAccount(`user ${made % 7}`).catch(() => 1 as AccountId);
      ids.push(await setup.gateway.createApiKey(account));
    }
    const orders = [ids, ids.toReversed(), ids.toSorted((one, other) => (one % 5) - (other % 5))];
    const all = await Promise.all(orders.map((order) => end(order.join('\n'))));
    expect(all.reduce((sum, { totals }) => sum + totals.ended, 0)).toBe(30);
    expect(await activeIds()).toEqual([]);
    expect(await setup.gateway.rows('audit_event')).toHaveLength(30);
  });
});
