import { afterEach, describe, expect, inject, it } from 'vitest';
import { plansOf } from '../support/plans.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway({
  plans: plansOf({
    usual: {
      permissions: ['documents.*'],
      rate_limit: { limit: 1_000_000, window_seconds: 60 },
      quota: { limit: 1000, refill: 'monthly' },
    },
  }),
});

const isPostgres = inject('postgresUrl') !== undefined;

/** Values of other types than the columns': a text, a number that is none, an object, and what reads like a date. */
const values = {
  text: "'never'",
  'a date in another notation': "'31.12.2999 10:00:00'",
  // SQLite stores no NaN.
  'no number': isPostgres ? "'NaN'::double precision" : '9e999',
  'an endless time': isPostgres ? "'infinity'::timestamptz" : '9e18',
  object: isPostgres ? `'{"a": 1}'::json` : "x'7b7d'",
  null: 'null',
};

/** The columns that decide about an API key, by table; each with the values that it may have. */
const columns: [table: string, column: string, allowed?: readonly string[]][] = [
  ['api_key', 'is_active'],
  ['api_key', 'expires_at', ['null']],
  ['api_key', 'paused_at', ['null']],
  ['api_key', 'permissions', ['null']],
  ['api_key', 'allowed_addresses', ['null']],
  ['api_key', 'rate_limit'],
  ['api_key', 'rate_limit_window'],
  ['api_key_secret', 'works_until', ['null']],
  ['account', 'blocked_at', ['null']],
  ['account', 'erased_at', ['null']],
  ['account', 'subject', ['null', 'text', 'a date in another notation', 'an endless time']],
  // An account whose plan does not exist has the default plan.
  ['account', 'plan', ['null', 'text', 'a date in another notation', 'an endless time']],
  ['account', 'overrides', ['null']],
  ['api_key_quota', 'units', ['null']],
  ['api_key_quota', 'refill', ['text']],
  ['api_key_quota', 'taken'],
  ['api_key_quota', 'generation'],
  ['api_key_quota', 'refills_at', ['null']],
  ['account_quota', 'taken'],
  ['account_quota', 'generation'],
  ['account_quota', 'refills_at', ['null']],
];

const execute = (sql: string): Promise<{ name?: string }[]> =>
  setup.gateway.database.em.getConnection().execute(sql);

const columnsOf = async (table: string): Promise<string[]> => {
  const rows = await execute(
    isPostgres
      ? `select column_name as name from information_schema.columns where table_name = '${table}_stored' and table_schema = 'public'`
      : `select name from pragma_table_info('${table}_stored')`,
  );
  return rows.map(({ name = '' }) => name);
};

let replaced: string | undefined;

/** Puts a view in the place of a table, in which one column holds something else: of any type, whatever the schema says. */
async function replace(table: string, column?: string, value = 'null'): Promise<void> {
  replaced = table;
  await execute(`alter table ${table} rename to ${table}_stored`);
  const all = await columnsOf(table);
  expect(all).toContain(column ?? 'generation');
  const selected = all.map((name) => (name === column ? `${value} as ${name}` : name));
  await execute(`create view ${table} as select ${selected.join(', ')} from ${table}_stored`);
}

async function bringBack(): Promise<void> {
  if (replaced === undefined) return;
  await execute(`drop view if exists ${replaced}`);
  await execute(`alter table ${replaced}_stored rename to ${replaced}`);
  replaced = undefined;
}
afterEach(bringBack);

/** Makes a key on which every kind of limit has something to say, and uses it once. */
async function createKey() {
  const { body } = await setup.call('POST', '/auth/keys', {
    name: 'one',
    expires_at: '2999-12-31T00:00:00.000Z',
    permissions: ['documents.read'],
    allowed_addresses: ['192.0.2.0/24'],
    metadata: { team: 'search' },
    rate_limit: { limit: 1_000_000, window_seconds: 60 },
    quota: { limit: 1000, refill: 'daily' },
  });
  return body.key as string;
}

/** Asks the three doors whether a key is valid. */
async function ask(key: string) {
  const { gateway } = setup;
  const caller = { headers: { 'x-api-key': key }, address: '192.0.2.7' };
  const verified = await gateway.rest('POST', '/keys/verify', {
    token: await setup.sign({ scope: 'keys.verify' }),
    json: { key, address: '192.0.2.7', permissions: ['documents.read'] },
  });
  const authorized = await gateway.rest('GET', '/keys/authorize', {
    ...caller,
    headers: { ...caller.headers, 'x-keyward-require': 'documents.read' },
  });
  const itself = await gateway.rest('GET', '/keys/self', caller);
  return { verified, authorized, itself };
}

it('the key itself passes, also where its tables are views', async () => {
  const key = await createKey();
  const expectValid = async () => {
    const { verified, authorized, itself } = await ask(key);
    expect([verified.status, verified.body.valid, authorized.status, itself.status]).toEqual([
      200,
      true,
      200,
      200,
    ]);
  };
  await expectValid();
  await replace('account_quota');
  await expectValid();
});

describe.each(columns)('%s.%s', (table, column, allowed = []) => {
  it.each(Object.entries(values).filter(([kind]) => !allowed.includes(kind)))(
    '%s → nothing passes',
    async (_kind, value) => {
      const key = await createKey();
      await ask(key);
      await replace(table, column, value);
      const { verified, authorized, itself } = await ask(key);
      // A column that says when something ended, and is not empty, ends it.
      const isEnded =
        column === 'blocked_at' || column === 'erased_at' || (column === 'is_active' && value === 'null');
      if (isEnded) {
        expect(verified.body.valid).toBe(false);
        expect([401, 403]).toContain(authorized.status);
        return;
      }
      const statuses = [verified.status, authorized.status, itself.status];
      // PostgreSQL itself refuses to compare these.
      if (isPostgres && column.startsWith('refill')) {
        expect(Math.min(...statuses)).toBeGreaterThanOrEqual(500);
        return;
      }
      expect(statuses).toEqual([503, 503, 503]);
      expect(verified.headers.get('retry-after')).toBe('5');
      expect(JSON.stringify(setup.gateway.log())).toContain('unexpected value in the database');
    },
  );
});

describe('a change whose result cannot be answered is not made', () => {
  it.each([
    ['DELETE', '/auth/keys/1', 'mutation { deactivateApiKey(keyId: 1) { id } }', undefined],
    ['POST', '/auth/keys/1/rotate', 'mutation { rotateApiKey(keyId: 1) { key } }', {}],
    ['PATCH', '/auth/keys/1', 'mutation { updateApiKey(keyId: 1, name: "two") { id } }', { name: 'two' }],
    ['PUT', '/auth/keys/1/default', 'mutation { setDefaultApiKey(keyId: 1) { id } }', undefined],
  ])('%s %s', async (method, path, document, json) => {
    await createKey();
    // What is stored is of the right type, and yet no list.
    await execute(`update api_key set metadata = '[1]', is_default = ${isPostgres ? 'false' : '0'}`);
    const before = await setup.stored();
    expect((await setup.call(method, path, json)).status).toBe(503);
    const token = await setup.sign();
    expect((await setup.gateway.graphql(document, { token })).status).toBe(503);
    const keyed = { token, headers: { 'idempotency-key': 'one' }, ...(json && { json }) };
    if (method === 'POST') expect((await setup.gateway.rest(method, path, keyed)).status).toBe(503);
    expect(await setup.stored()).toEqual(before);
    await execute('update api_key set metadata = null');
    expect((await setup.call(method, path, json)).status).toBeLessThan(300);
  });
});
