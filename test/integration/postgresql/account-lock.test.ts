import { expect, it } from 'vitest';
import { createApiKeys } from '../../support/key-suite.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

it.each([
  ['to make a key', 'POST', '/auth/keys'],
  ['to choose the default key', 'PUT', '/auth/keys/2/default'],
])('who wants %s waits for whoever has locked the account', async (_what, method, path) => {
  await createApiKeys(setup);
  const token = await setup.sign();
  const { em } = setup.gateway.database;
  const answer = await em.fork().transactional(async (other) => {
    // What a row that refers to the account takes would pass this lock.
    await other.execute('select 1 from account where id = 1 for no key update');
    const answering = setup.gateway.rest(method, path, { token, json: {} });
    const waiting = () =>
      em
        .fork()
        .execute(
          "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
    await expect
      .poll(waiting, { timeout: 10_000 })
      .toEqual([{ query: expect.stringMatching(/^update "account" set "id" = "id" where/) }]);
    return { answering };
  });
  expect((await answer.answering).status).toBeLessThan(300);
});
