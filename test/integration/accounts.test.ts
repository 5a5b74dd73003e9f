import { expect, it } from 'vitest';
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
  ['al', ['alice', 'al']],
  ['alice', ['alice']],
  ['A', ['Alice']],
  ['%', ['%al']],
  ['_', []],
  ['é', ['élan']],
  ['al\u{10ffff}', []],
  ["' or 1=1 --", []],
])('200: accounts whose subject begins with %s', async (filter, expected) => {
  for (const subject of ['al', 'Alice', 'alice', 'bob', '%al', 'élan', 'e'])
    await setup.gateway.createAccount(subject);
  expect(subjects((await call('accounts', { filter })).data)).toEqual(expected);
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
