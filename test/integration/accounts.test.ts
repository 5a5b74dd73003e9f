import { expect, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { callerOf, createPeople } from '../support/operators.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const setup = setUpGateway();

const subjects = (data: { nodes: { subject: string }[] }) => data.nodes.map(({ subject }) => subject);

const call = callerOf(setup);

it('200: all accounts, newest first', async () => {
  await createPeople(setup);
  const { data } = await call('accounts');
  expect(subjects(data)).toEqual(['carol', 'bob']);
  expect(data.nodes[1]).toMatchObject({ apiKeyCount: 2, activeApiKeyCount: 1, blockedAt: null });
});

it('200: in pages', async () => {
  for (const subject of ['a', 'b', 'c', 'd', 'e']) await setup.gateway.createAccount(subject);
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { data } = await call('accounts', after === null ? { first: 2 } : { first: 2, after });
    seen.push(...subjects(data));
    after = data.next;
  } while (after !== null);
  expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
});

it.each([
  ['al', ['%al', 'Alice', 'royal', 'al']],
  ['LIC', ['Alice']],
  ['oy', ['royal']],
  ['%', ['%al']],
  ['_', []],
  ['LAN', ['élan']],
  ['al\u{10ffff}', []],
  ["' or 1=1 --", []],
  ['\ud800', []],
])('200: accounts whose subject contains %s, ignoring case', async (filter, expected) => {
  for (const subject of ['al', 'royal', 'bob', 'Alice', 'élan', '%al'])
    await setup.gateway.createAccount(subject);
  expect(subjects((await call('accounts', { filter })).data)).toEqual(expected);
});

it('200: the matching ones among many, from either end', async () => {
  const { kysely } = new Db(setup.gateway.database.em);
  const issuer = 'https://id.example.com';
  const match = new Set([1, 5000, 5001, 10_000, 10_001, 15_000, 15_001, 25_000]);
  const rows = Array.from({ length: 25_000 }, (_, index) => ({
    issuer,
    subject: `${match.has(index + 1) ? 'Match' : 'other'} ${index + 1}`,
    created_at: new Date(0),
  }));
  for (let from = 0; from < rows.length; from += 2500)
    await kysely
      .insertInto('account')
      .values(rows.slice(from, from + 2500) as never)
      .execute();
  const found = async (range: string) => {
    const query = `{ accounts(filter: "match"${range}) { edges { node { subject } } pageInfo { endCursor } } }`;
    const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
    const { edges, pageInfo } = (await setup.gateway.graphql(query, { token })).body.data.accounts;
    return { subjects: edges.map(({ node }: { node: { subject: string } }) => node.subject), ...pageInfo };
  };
  const names = [...match].toReversed().map((id) => `Match ${id}`);
  expect((await found('')).subjects).toEqual(names);
  expect((await found(', last: 5')).subjects).toEqual(names.slice(3));
  const { subjects: first, endCursor } = await found(', first: 2');
  expect(first).toEqual(names.slice(0, 2));
  expect((await found(`, first: 2, after: "${endCursor}"`)).subjects).toEqual(names.slice(2, 4));
  expect((await found(`, last: 1, before: "${endCursor}"`)).subjects).toEqual(names.slice(0, 1));
  expect(subjects((await call('accounts', { filter: 'nobody' })).data)).toEqual([]);
});

it('200: only blocked accounts, or only others', async () => {
  const { bob } = await createPeople(setup);
  await call('blockAccount', { id: bob.id, reason: 'Abuse' });
  expect(subjects((await call('accounts', { isBlocked: true })).data)).toEqual(['bob']);
  expect(subjects((await call('accounts', { isBlocked: false })).data)).toEqual(['olivia', 'carol']);
  expect(subjects((await call('accounts', { isBlocked: false, filter: 'b' })).data)).toEqual([]);
});

it.each([
  [{ first: 101 }, 'first'],
  [{ after: 'x' }, 'after'],
  [{ filter: 'a'.repeat(256) }, 'filter'],
])('422 for %o', async (input, name) => {
  const { code, issues } = await call('accounts', input);
  expect([code, issues?.[0]?.path]).toEqual(['BAD_USER_INPUT', [name]]);
});
