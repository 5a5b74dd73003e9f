import { describe, expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import type { AccountId } from '../../src/database/tables.ts';
import type { Answer } from '../support/gateway.ts';
import { heaviestParts } from '../support/heaviest-account.ts';
import { createApiKeys, noParts } from '../support/key-suite.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const query = `query ($first: Int, $after: String, $last: Int, $before: String, $isActive: Boolean) {
  apiKeys(first: $first, after: $after, last: $last, before: $before, isActive: $isActive) {
    edges { cursor node { id name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

const rest = async (search = '', claims = {}): Promise<Answer> =>
  setup.gateway.rest('GET', `/auth/keys${search}`, { token: await setup.sign(claims) });

const graphql = async (variables: object = {}, claims = {}): Promise<Answer> =>
  setup.gateway.graphql(query, { token: await setup.sign(claims), variables });

interface Page {
  readonly ids: number[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

const page = async (variables: object = {}): Promise<Page> => {
  const { edges, pageInfo } = (await graphql(variables)).body.data.apiKeys;
  return { ids: edges.map(({ node }: { node: { id: number } }) => node.id), pageInfo };
};

const idsOf = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id);

/** The path and query of the `Link` to the next page, below `/api/v1`. */
const nextOf = ({ headers }: Answer): string | undefined =>
  /^<\/api\/v1([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

/** Gives alice so many keys, between keys of bob's; returns the ids of hers, newest first. */
const createMany = async (count: number): Promise<number[]> => {
  const alice = await setup.gateway.createAccount('alice');
  const bob = await setup.gateway.createAccount('bob');
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    ids.unshift(await setup.gateway.createApiKey(alice, { isActive: index % 3 !== 0 }));
    if (index % 2 === 0) await setup.gateway.createApiKey(bob);
  }
  return ids;
};

/** Gives alice so many keys more, with these columns. */
const insertMany = async (count: number, columns: object): Promise<void> => {
  const account =
    (await setup.gateway.rows('account')).length > 0 ? 1 : await setup.gateway.createAccount('alice');
  const values = { account_id: account as AccountId, key_prefix: 'sk-a1b2c3', created_at: new Date() };
  const rows = Array(100).fill({ ...values, ...columns });
  const { kysely } = new Db(setup.gateway.database.em);
  for (let made = 0; made < count; made += 100) await kysely.insertInto('api_key').values(rows).execute();
};

/** All answers of a list, one link after the other. */
const readAll = async (search = ''): Promise<Answer[]> => {
  const answers = [await rest(search)];
  for (let next = nextOf(answers[0] as Answer); next; next = nextOf(answers.at(-1) as Answer))
    answers.push(await rest(next.replace('/auth/keys', '')));
  return answers;
};

const record = {
  id: 1,
  key_prefix: 'sk-a1b2c3',
  name: 'Laptop',
  created_at: '2026-01-31T12:00:00.000Z',
  is_active: true,
  is_default: true,
  encrypted_key: null,
  encryption_version: 1,
  expires_at: null,
  deactivated_at: null,
  previous_works_until: null,
  last_used_at: null,
  ...noParts,
};

describe('200 over REST', () => {
  it("keeps the web client's rules: a plain array, newest first, revoked keys too, dates with Z", async () => {
    await createApiKeys(setup);
    const token = await setup.sign();
    await setup.gateway.rest('DELETE', '/auth/keys/2', { token });
    const before = await setup.stored();
    const { status, body, headers } = await rest();
    expect(status).toBe(200);
    const deactivated_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const revoked = { ...record, id: 2, name: null, is_active: false, is_default: false, deactivated_at };
    expect(body).toEqual([revoked, record]);
    expect(headers.get('link')).toBeNull();
    expect(await setup.stored()).toEqual(before);
  });

  it('a caller without an account → an empty array, and nothing is written', async () => {
    await createApiKeys(setup);
    const before = await setup.stored();
    expect(await rest('', { sub: 'carol' })).toMatchObject({ status: 200, text: '[]' });
    expect(await setup.stored()).toEqual(before);
  });

  it('without a limit → all keys, with one → at most 100', async () => {
    const ids = await createMany(101);
    const all = await rest();
    expect(idsOf(all)).toEqual(ids);
    expect(all.headers.get('link')).toBeNull();
    expect(idsOf(await rest('?is_active=true'))).toHaveLength(67);
    const page = await rest('?limit=100');
    expect(idsOf(page)).toEqual(ids.slice(0, 100));
    expect(idsOf(await rest(nextOf(page)?.replace('/auth/keys', '')))).toEqual(ids.slice(100));
  });

  it('1000 keys → one array, 1200 → two, joined by a link', async () => {
    await insertMany(1000, { name: 'Laptop' });
    const thousand = await rest();
    expect(idsOf(thousand)).toHaveLength(1000);
    expect(thousand.headers.get('link')).toBeNull();
    await insertMany(200, { name: 'Laptop' });
    const answers = await readAll();
    expect(answers.flatMap(idsOf)).toEqual(Array.from({ length: 1200 }, (_, index) => 1200 - index));
    expect(answers).toHaveLength(2);
    expect(idsOf(answers[0] as Answer).length).toBeGreaterThan(1000);
  });

  it.each(['', '?limit=100', '?is_active=true'])(
    'keys of the greatest size → answers of about 320 KiB, joined by links: %s',
    async (search) => {
      await insertMany(100, heaviestParts);
      const answers = await readAll(search);
      expect(answers.flatMap(idsOf)).toEqual(Array.from({ length: 100 }, (_, index) => 100 - index));
      const sizes = answers.map(({ text }) => Buffer.byteLength(text));
      expect(Math.max(...sizes)).toBeLessThan(400 * 1024);
      expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(300 * 1024);
    },
  );

  it.each(['', '&is_active=true', '&is_active=false'])(
    'the links lead to all pages, with limit=2%s',
    async (filter) => {
      const ids = await createMany(9);
      const wanted = ids.filter((_id, index) => {
        const isActive = (ids.length - 1 - index) % 3 !== 0;
        return filter === '' || filter === `&is_active=${isActive}`;
      });
      const pages: number[][] = [];
      for (let next: string | undefined = `/auth/keys?limit=2${filter}`; next; ) {
        const answer: Answer = await setup.gateway.rest('GET', next, { token: await setup.sign() });
        pages.push(idsOf(answer));
        next = nextOf(answer);
      }
      expect(pages.flat()).toEqual(wanted);
      expect(pages.slice(0, -1).every(({ length }) => length === 2)).toBe(true);
    },
  );

  it.each([
    ['?limit=5', 5],
    ['?limit=100', 5],
    ['?limit=0', 0],
  ])('%s → at most as many keys as the limit', async (search, length) => {
    await createMany(5);
    expect((await rest(search)).body).toHaveLength(length);
  });
});

describe('200 over GraphQL', () => {
  it('without a size → at most 100', async () => {
    const ids = await createMany(101);
    const first = await page();
    expect(first.ids).toEqual(ids.slice(0, 100));
    expect(first.pageInfo.hasNextPage).toBe(true);
  });

  it('edges, newest first, and page information', async () => {
    await createApiKeys(setup);
    const { status, body } = await graphql();
    expect(status).toBe(200);
    const [newest, oldest] = [expect.any(String), expect.any(String)];
    expect(body.data.apiKeys).toEqual({
      edges: [
        { cursor: newest, node: { id: 2, name: null } },
        { cursor: oldest, node: { id: 1, name: 'Laptop' } },
      ],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: newest, endCursor: oldest },
    });
    const { edges, pageInfo } = body.data.apiKeys;
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0].cursor, edges[1].cursor]);
  });

  it('a caller without an account → no edges, and nothing is written', async () => {
    const { body } = await graphql({}, { sub: 'carol' });
    expect(body.data.apiKeys).toEqual({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
    expect(await setup.gateway.rows('account')).toEqual([]);
  });

  it('the same subject of another issuer → nothing', async () => {
    await createApiKeys(setup);
    await setup.gateway.database.em.fork().execute("update account set issuer = 'https://id.example.com'");
    expect((await page()).ids).toEqual([]);
  });

  it.each([
    [null, [5, 4, 3, 2, 1]],
    [true, [5, 3, 2]],
    [false, [4, 1]],
  ])('isActive: %s → only such keys', async (isActive, expected) => {
    const ids = await createMany(5);
    const byAge = ids.toReversed();
    const { ids: found } = await page({ isActive });
    expect(found).toEqual(expected.map((nth) => byAge[nth - 1]));
  });

  it('pages forwards and backwards', async () => {
    const ids = await createMany(5);
    const first = await page({ first: 2 });
    expect(first.ids).toEqual(ids.slice(0, 2));
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = await page({ first: 2, after: first.pageInfo.endCursor });
    expect(second.ids).toEqual(ids.slice(2, 4));
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const back = await page({ last: 2, before: second.pageInfo.startCursor });
    expect(back.ids).toEqual(first.ids);
    expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const end = await page({ last: 2 });
    expect(end.ids).toEqual(ids.slice(3));
    expect(end.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });
});

describe('422 over REST', () => {
  it.each([
    ['limit=-1', 'limit', 'greater_than_equal'],
    ['limit=101', 'limit', 'less_than_equal'],
    ['limit=abc', 'limit', 'int_parsing'],
    ['limit=1e1', 'limit', 'int_parsing'],
    ['limit=', 'limit', 'int_parsing'],
    ['limit=99999999999', 'limit', 'int_parsing_size'],
    ['limit=1&limit=2', 'limit', 'value_error'],
    ['cursor=x', 'cursor', 'value_error'],
    ['cursor=', 'cursor', 'value_error'],
    ['cursor=MQ%3D%3D', 'cursor', 'value_error'],
    ['cursor=%27%20or%201%3D1', 'cursor', 'value_error'],
    ['is_active=1', 'is_active', 'bool_parsing'],
    ['is_active=yes', 'is_active', 'bool_parsing'],
  ])('?%s → 422 for that parameter', async (search, name, type) => {
    await createApiKeys(setup);
    const { status, body } = await rest(`?${search}`);
    expect(status).toBe(422);
    expect(body).toEqual({
      detail: [{ loc: ['query', name], msg: expect.stringMatching(/^\w.+\.$/), type }],
    });
  });
});

describe('BAD_USER_INPUT over GraphQL', () => {
  it.each([
    [{ first: -1 }, 'first', 'greater_than_equal'],
    [{ first: 101 }, 'first', 'less_than_equal'],
    [{ last: -1 }, 'last', 'greater_than_equal'],
    [{ last: 101 }, 'last', 'less_than_equal'],
    [{ first: 1, last: 1 }, 'last', 'value_error'],
    [{ after: 'x' }, 'after', 'value_error'],
    [{ before: '' }, 'before', 'value_error'],
    [{ before: 'MjE0NzQ4MzY0OA' }, 'before', 'value_error'],
  ])('%j → an issue for that argument', async (variables, name, type) => {
    const { status, body } = await graphql(variables);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { path: ['apiKeys'], extensions: { code: 'BAD_USER_INPUT', issues: [{ path: [name], type }] } },
    ]);
  });
});
