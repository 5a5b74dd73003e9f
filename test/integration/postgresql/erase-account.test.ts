import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTransaction } from '../../support/database.ts';
import { createPeople } from '../../support/operators.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

it.each([
  ['a key', 'update api_key set last_used_at = now() where account_id = 1'],
  ['settings', 'update automation_settings set session_duration = 60 where account_id = 1'],
  ['the private key', 'update private_key set updated_at = now() where account_id = 1'],
])('an erasure waits for a change of %s, without a deadlock', async (_what, change) => {
  const { bob } = await createPeople(setup);
  expect(bob.id).toBe(1);
  const { database } = setup.gateway;
  const token = await setup.sign({ sub: 'bob' });
  await setup.gateway.rest('PUT', '/automation/settings', { token, json: { is_enabled: true } });
  const operator = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const isWaiting = async () => {
    const [row] = await database.em
      .getConnection()
      .execute(
        "select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
    return Number(row?.['count']) > 0;
  };
  const { promise, resolve } = Promise.withResolvers<Promise<{ status: number }>>();
  // As a change does: what is changed first, then who has changed it.
  await inTransaction(database, async (execute) => {
    await execute(change);
    const erasing = setup.gateway.rest('DELETE', '/admin/accounts/1', { token: operator });
    resolve(erasing);
    for (let turn = 0; turn < 500 && !(await isWaiting()); turn += 1) await delay(10);
    expect(await isWaiting()).toBe(true);
    await execute(
      `insert into audit_event (account_id, action, request, created_at) values (1, 'api-key-updated', 'r', now())`,
    );
  });
  expect((await await promise).status).toBe(200);
  expect(await setup.gateway.rows('account')).toMatchObject([{ erased_at: expect.any(Number) }, {}, {}]);
});
