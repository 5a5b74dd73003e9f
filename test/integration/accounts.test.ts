import { describe, expect, inject, it } from 'vitest';
import { Db } from '../../src/database/db.ts';
import { writerOf } from '../support/database.ts';
import { callerOf, createPeople } from '../support/operators.ts';
import { recordStatements } from '../support/record-statements.ts';
import { scannedTables } from '../support/scanned-tables.ts';
import { setUpGateway } from '../support/set-up-gateway.ts';

const isPostgres = inject('postgresUrl') !== undefined;

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
  ['al', ['Alice', 'al', '%al', 'royal']],
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

/** Adds accounts, the first of them with the id 1. */
const addMany = async (subjects: readonly string[]): Promise<void> => {
  const { kysely } = new Db(setup.gateway.database.em);
  const issuer = 'https://id.example.com';
  const rows = subjects.map((subject) => ({ issuer, subject, created_at: new Date(0) }));
  for (let from = 0; from < rows.length; from += 2500)
    await kysely
      .insertInto('account')
      .values(rows.slice(from, from + 2500) as never)
      .execute();
};

/** A page over GraphQL, of the accounts whose subject contains a text. */
const search = async (filter: string, range = '') => {
  const query = `{ accounts(filter: ${JSON.stringify(filter)}${range}) { edges { node { subject } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`;
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const { edges, pageInfo } = (await setup.gateway.graphql(query, { token })).body.data.accounts;
  return { subjects: edges.map(({ node }: { node: { subject: string } }) => node.subject), ...pageInfo };
};

it('200: the matching ones among many, from either end', async () => {
  const match = new Set([1, 5000, 5001, 10_000, 10_001, 15_000, 15_001, 25_000]);
  await addMany(
    Array.from({ length: 25_000 }, (_, index) => `${match.has(index + 1) ? 'Match' : 'other'} ${index + 1}`),
  );
  const names = [...match].toReversed().map((id) => `Match ${id}`);
  expect((await search('match')).subjects).toEqual(names);
  expect((await search('match', ', last: 5')).subjects).toEqual(names.slice(3));
  const { subjects: first, endCursor } = await search('match', ', first: 2');
  expect(first).toEqual(names.slice(0, 2));
  expect((await search('match', `, first: 2, after: "${endCursor}"`)).subjects).toEqual(names.slice(2, 4));
  expect((await search('match', `, last: 1, before: "${endCursor}"`)).subjects).toEqual(names.slice(0, 1));
  expect(subjects((await call('accounts', { filter: 'nobody' })).data)).toEqual([]);
});

describe('200: more that match than an index is asked for', () => {
  const count = 12_000;
  /** Every third begins with a word that the others have elsewhere. */
  const subjectOf = (id: number) => (id % 3 === 0 ? `Common ${id}` : `un-common ${id}`);
  const names = Array.from({ length: count }, (_, index) => subjectOf(count - index));
  const expected = [
    ...names.filter((name) => name.startsWith('Common')),
    ...names.filter((name) => !name.startsWith('Common')),
  ];

  it.each(['common', 'co'])('those that begin with %s come first, in both directions', async (filter) => {
    await addMany(names.toReversed());
    expect((await search(filter)).subjects).toEqual(expected.slice(0, 100));
    expect((await search(filter, ', last: 3')).subjects).toEqual(expected.slice(-3));
    const turn = expected.indexOf('Common 3');
    const cursor = Buffer.from(`${2 ** 32 + 9}`).toString('base64url');
    const after = await search(filter, `, first: 4, after: "${cursor}"`);
    expect(after.subjects).toEqual(expected.slice(turn - 1, turn + 3));
    const before = await search(filter, `, last: 4, before: "${after.endCursor}"`);
    expect(before.subjects).toEqual(expected.slice(turn - 2, turn + 2));
  });
});

it('200: links lead from those that begin with the text to the others', async () => {
  await addMany(['a lot', 'lot', 'pilot', 'Lots', 'none']);
  const seen: string[] = [];
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  for (let next: string | undefined = '/admin/accounts?filter=LOT&limit=1'; next; ) {
    const { body, headers } = await setup.gateway.rest('GET', next, { token });
    seen.push(...body.map(({ subject }: { subject: string }) => subject));
    next = /^<\/api\/v1([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(seen).toEqual(['Lots', 'lot', 'pilot', 'a lot']);
});

it('200: a page neither repeats nor misses an account if others are added or erased meanwhile', async () => {
  await addMany(['xlot 1', 'lot 2', 'lot 3', 'xlot 4']);
  const { subjects: first, endCursor } = await search('lot', ', first: 1');
  expect(first).toEqual(['lot 3']);
  await call('eraseAccount', { id: 3 });
  await addMany(['lot 5', 'xlot 6']);
  const page = await search('lot', `, first: 9, after: "${endCursor}"`);
  expect(page.subjects).toEqual(['lot 2', 'xlot 6', 'xlot 4', 'xlot 1']);
});

const hard = [
  '%',
  '_',
  '"',
  "'",
  '*',
  '\\',
  '^',
  '-',
  '+',
  ':',
  '(',
  ')',
  '{',
  '}',
  ',',
  ' AND ',
  ' OR ',
  'NEAR(',
];

it.each(hard)('200: %s has no meaning of its own', async (piece) => {
  await addMany([`abc${piece}def`, `xabc${piece}def`, 'abcdef', 'xabc  def', 'abcxdef', 'AND', 'NEAR']);
  const found = [`abc${piece}def`, `xabc${piece}def`];
  expect((await search(`ABC${piece}DEF`)).subjects).toEqual(found);
  // Only three letters in a row have an index on PostgreSQL.
  for (const part of [`bc${piece}def`, `c${piece}d`])
    expect((await search(part)).subjects).toEqual(found.toReversed());
  expect((await search(piece.repeat(3))).subjects).toEqual([]);
});

it('200: the greatest characters of all', async () => {
  const greatest = '\u{10ffff}'.repeat(127);
  await addMany([`a${greatest}`, `ba${greatest}`, 'b']);
  expect((await search('a')).subjects).toEqual([`a${greatest}`, `ba${greatest}`]);
  expect((await search(`A${greatest}`)).subjects).toEqual([`a${greatest}`, `ba${greatest}`]);
});

describe('the statements of a search', () => {
  const record = async (filter: string) => {
    const { sql } = await recordStatements(setup.gateway.database, () => search(filter, ', first: 2'));
    expect(sql.flatMap((text) => scannedTables(setup.gateway.database, text))).toEqual([]);
    // The first asks whether the operator is blocked.
    return sql.slice(1);
  };
  const elsewhere = isPostgres ? /strpos\(.*\) > /s : /instr\(.*\) > /s;

  it('the first page is full of those that begin with the text → nothing looks for others', async () => {
    await addMany(['user 1', 'user 2', 'user 3', 'a user']);
    const sql = await record('user');
    expect(sql).toHaveLength(2);
    expect(sql.join('\n')).not.toMatch(elsewhere);
  });

  it('few match → indexes find them, and no query looks at accounts one by one', async () => {
    await addMany(['user 1', 'user 2', 'a user']);
    const sql = await record('user');
    // PostgreSQL is also asked whether it has the index.
    expect(sql).toHaveLength(isPostgres ? 5 : 4);
    expect(sql.at(-1)).toMatch(elsewhere);
    expect(sql.join('\n')).not.toContain('offset');
    expect(sql.at(-2)).toContain(isPostgres ? ' like ' : ' match ');
  });

  it('none match → only the indexes are asked', async () => {
    await addMany(['user 1']);
    const sql = await record('nobody');
    expect(sql).toHaveLength(isPostgres ? 3 : 2);
  });

  it('two characters → an index finds those that begin with them; the others are looked for', async () => {
    await addMany(['us', 'bus']);
    const sql = await record('us');
    expect(sql).toHaveLength(4);
    expect(sql.at(-2)).toContain('offset');
    expect(sql.join('\n')).not.toMatch(/ like | match /);
  });
});

const onlyOn = { postgres: isPostgres ? it : undefined, sqlite: isPostgres ? undefined : describe };

onlyOn.postgres?.('200: without the index of trigrams, the others are looked for', async () => {
  await addMany(['user 1', 'a user', 'nobody']);
  const run = (statement: string) => setup.gateway.database.em.getConnection().execute(statement);
  const [index] = await run("select pg_get_indexdef('account_subject_trigrams'::regclass) as definition");
  await run('drop index account_subject_trigrams');
  try {
    const { sql } = await recordStatements(setup.gateway.database, async () => {
      expect((await search('user')).subjects).toEqual(['user 1', 'a user']);
    });
    expect(sql.join('\n')).toContain('offset');
    expect(sql.join('\n')).not.toContain(' like ');
  } finally {
    await run(index?.['definition']);
  }
});

onlyOn.sqlite?.("SQLite's index of trigrams", () => {
  /** All that its index has, as text. */
  const indexed = () =>
    writerOf(setup.gateway.database)
      .prepare<[], Buffer>('select block from account_search_data')
      .pluck()
      .all()
      .join('\n');

  it('nothing of an erased subject stays in it', async () => {
    await addMany(['\u03b1\u03b2\u03b3 one', 'two', '\u03b4\u03b5\u03b6 three']);
    expect(indexed()).toContain('\u03b1\u03b2\u03b3');
    await call('eraseAccount', { id: 1 });
    expect(indexed()).not.toContain('\u03b1');
    expect((await search('\u03b1\u03b2\u03b3')).subjects).toEqual([]);
    expect((await search('\u03b5\u03b6 ')).subjects).toEqual(['\u03b4\u03b5\u03b6 three']);
  });

  it('has what the accounts have, whoever writes them', async () => {
    await addMany(['one', 'two', 'three']);
    const writer = writerOf(setup.gateway.database);
    writer.exec("update account set subject = 'another' where id = 1; delete from account where id = 2");
    writer.exec("insert into account (issuer, subject, created_at) values ('i', 'four', 0)");
    writer.exec("insert into account_search (account_search, rank) values ('integrity-check', 1)");
    expect((await search('other')).subjects).toEqual(['another']);
    expect((await search('two')).subjects).toEqual([]);
  });
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
  // The cursor of an account, and of one that begins with a text.
  [{ after: 'MQ', filter: 'a' }, 'after'],
  [{ after: 'MQ', filter: 'a', isBlocked: false }, 'after'],
  [{ after: Buffer.from(`${2 ** 32 + 1}`).toString('base64url') }, 'after'],
  [{ after: Buffer.from(`${2 ** 32 + 1}`).toString('base64url'), filter: '' }, 'after'],
  [{ after: Buffer.from(`${3 * 2 ** 31}`).toString('base64url'), filter: 'a' }, 'after'],
  [{ filter: 'a'.repeat(256) }, 'filter'],
])('422 for %o', async (input, name) => {
  const { code, issues } = await call('accounts', input);
  expect([code, issues?.[0]?.path]).toEqual(['BAD_USER_INPUT', [name]]);
});
