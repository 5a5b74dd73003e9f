import { beforeEach, describe, expect, it } from 'vitest';
import { createApiKeys } from '../../support/key-suite.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

const call = async (method: string, path: string, headers = {}) =>
  setup.gateway.rest(method, path, {
    token: await setup.sign(),
    headers,
    ...(method !== 'GET' && { json: {} }),
  });

/**
 * Makes a request while somebody else has locked a row.
 * @param row the locked row: a table with a condition
 * @returns the statement that waits for the row, and the answer after the end of the lock
 */
async function requestBeside(row: string, request: () => ReturnType<typeof call>) {
  const { em } = setup.gateway.database;
  const waiting = () =>
    em
      .fork()
      .execute<[{ query: string }]>(
        "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
  const { answering, query } = await em.fork().transactional(async (other) => {
    // What a row that refers to this one takes would pass this lock.
    await other.execute(`select 1 from ${row} for no key update`);
    const answering = request();
    await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(1);
    return { answering, query: (await waiting())[0].query };
  });
  return { query, answer: await answering };
}

beforeEach(async () => {
  await createApiKeys(setup);
});

it.each([
  ['to make a key', 'POST', '/auth/keys'],
  ['to choose the default key', 'PUT', '/auth/keys/2/default'],
])(
  'a request %s waits while another transaction locks the account, before it writes',
  async (_what, method, path) => {
    const { query, answer } = await requestBeside('account where id = 1', () => call(method, path));
    expect(query).toMatch(/^select .* from "account" where "id" = \$1 for no key update$/);
    expect(answer.status).toBeLessThan(300);
  },
);

describe('a change with If-Match waits while another transaction locks', () => {
  it.each([
    ['the account', 'PATCH', '/auth/keys/2', 'account'],
    ['the API key', 'PATCH', '/auth/keys/2', 'api_key'],
    ['the settings', 'PUT', '/automation/settings', 'automation_settings'],
    ['the private key', 'DELETE', '/auth/private-key', 'private_key'],
  ])('%s', async (_what, method, path, table) => {
    const { gateway } = setup;
    const [account] = (await gateway.rows('account')) as [{ id: never }];
    await gateway.createPrivateKey(account.id);
    await call('PUT', '/automation/settings');
    const { headers } = await call('GET', path);
    const row = `${table} where id = ${table === 'api_key' ? 2 : 1}`;
    const { query, answer } = await requestBeside(row, () =>
      call(method, path, { 'if-match': headers.get('etag') }),
    );
    expect(query).toMatch(new RegExp(`^select .* from "${table}" where .* for no key update$`));
    expect(answer.status).toBeLessThan(300);
  });
});
