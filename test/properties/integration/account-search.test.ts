import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { Db, isForPostgres } from '../../../src/database/db.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

const kyselyOf = () => new Db(setup.gateway.database.em).kysely;

/** Few different pieces, so that texts often have something in common; and all that means something to SQL or FTS5. */
const pieces = ['a', 'A', 'b', 'user', 'USER', '1', '23', 'é', 'É', 'ß', 'İ', 'Σ', '😀', '\u{10ffff}'];
const special = [
  '%',
  '_',
  '"',
  "'",
  '*',
  '\\',
  '-',
  '^',
  ':',
  '(',
  ' ',
  '|',
  ' AND ',
  ' OR ',
  ' NOT ',
  'NEAR(',
];
const texts = (maxLength: number) =>
  fc
    .array(fc.constantFrom(...pieces, ...special), { minLength: 1, maxLength })
    .map((parts) => parts.join(''));

/** A text, or a part of one of the subjects in another case. */
const filters = (subjects: readonly string[]) =>
  fc.oneof(
    texts(3),
    fc
      .tuple(fc.constantFrom(...subjects), fc.nat(8), fc.integer({ min: 1, max: 12 }), fc.boolean())
      .map(([subject, from, length, isUpper]) => {
        const part = [...subject].slice(from, from + length).join('') || subject;
        return isUpper ? part.toUpperCase() : part;
      }),
  );

const add = (subjects: readonly string[]) =>
  kyselyOf()
    .insertInto('account')
    .values(subjects.map((subject) => ({ issuer: 'i', subject, created_at: new Date(0) })) as never)
    .execute();

/** The same by the plainest query: those that begin with the text, and then those that have it elsewhere. */
async function findPlainly(filter: string): Promise<number[]> {
  const db = kyselyOf();
  const find = sql.raw(isForPostgres(db) ? 'strpos' : 'instr');
  const position = sql<number>`${find}(lower(subject), lower(${filter}))`;
  const rows = await db
    .selectFrom('account')
    .select(['id', position.as('position')])
    .orderBy('id', 'desc')
    .execute();
  const idsOf = (isWanted: (position: number) => boolean) =>
    rows.filter((row) => isWanted(Number(row.position))).map(({ id }): number => id);
  return [...idsOf((position) => position === 1), ...idsOf((position) => position > 1)];
}

const query = `query ($filter: String, $first: Int, $after: String, $last: Int, $before: String) {
  accounts(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    edges { node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

/** All pages one after the other, of the given sizes in turn. */
async function walk(
  filter: string,
  direction: 'first' | 'last',
  sizes: readonly number[],
): Promise<number[][]> {
  const token = await setup.sign({ sub: 'olivia', scope: 'keyward.admin' });
  const pages: number[][] = [];
  for (let place: object | undefined = {}; place; ) {
    const variables = { filter, [direction]: sizes[pages.length % sizes.length], ...place };
    const { body } = await setup.gateway.graphql(query, { token, variables });
    const { edges, pageInfo } = body.data.accounts;
    pages.push(edges.map(({ node }: { node: { id: number } }) => node.id));
    if (direction === 'first') place = pageInfo.hasNextPage ? { after: pageInfo.endCursor } : undefined;
    else place = pageInfo.hasPreviousPage ? { before: pageInfo.startCursor } : undefined;
  }
  return pages;
}

const worlds = fc.uniqueArray(texts(6), { minLength: 1, maxLength: 12 }).chain((subjects) =>
  fc.record({
    subjects: fc.constant(subjects),
    changed: fc.nat(subjects.length),
    removed: fc.nat(subjects.length),
    filters: fc.array(filters(subjects), { minLength: 1, maxLength: 4 }),
    sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  }),
);

it('any search, in pages of any size from either end → what the plainest query finds, whoever wrote it', async () => {
  const property = fc.asyncProperty(worlds, async ({ subjects, changed, removed, filters: all, sizes }) => {
    expect(await setup.gateway.reset()).toBe(true);
    await add(subjects);
    const change = kyselyOf()
      .updateTable('account')
      .set({ subject: `changed user ${changed}` });
    await change.where('id', '=', changed as never).execute();
    await kyselyOf()
      .deleteFrom('account')
      .where('id', '=', removed as never)
      .execute();
    for (const filter of [...all, 'changed']) {
      const expected = await findPlainly(filter);
      expect((await walk(filter, 'first', sizes)).flat(), filter).toEqual(expected);
      expect((await walk(filter, 'last', sizes)).toReversed().flat(), filter).toEqual(expected);
    }
  });
  await fc.assert(property, { numRuns: inject('postgresUrl') === undefined ? 60 : 15 });
});
