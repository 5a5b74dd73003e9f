import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import type { AccountId } from '../../../src/database/tables.ts';
import { setUpGateway } from '../../support/set-up-gateway.ts';

const setup = setUpGateway();

const query = `query ($first: Int, $after: String, $last: Int, $before: String) {
  apiKeys(first: $first, after: $after, last: $last, before: $before) {
    edges { node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

const page = async (variables: object) => {
  const { body } = await setup.gateway.graphql(query, { token: await setup.sign(), variables });
  const { edges, pageInfo } = body.data.apiKeys;
  return { ids: edges.map(({ node }: { node: { id: number } }): number => node.id), pageInfo };
};

/** All pages one after the other, of the given sizes in turn, while alice gets three keys more. */
const walk = async (direction: 'first' | 'last', sizes: readonly number[]): Promise<number[][]> => {
  const pages: number[][] = [];
  for (let place: object | undefined = {}; place; ) {
    const { ids, pageInfo } = await page({ [direction]: sizes[pages.length % sizes.length], ...place });
    pages.push(ids);
    if (pages.length <= 3) await setup.gateway.createApiKey(1 as AccountId);
    if (direction === 'first') place = pageInfo.hasNextPage ? { after: pageInfo.endCursor } : undefined;
    else place = pageInfo.hasPreviousPage ? { before: pageInfo.startCursor } : undefined;
  }
  return pages;
};

it('any sequence of pages shows each key once, in order, in both directions, while others are created', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
  const property = fc.asyncProperty(fc.nat({ max: 9 }), sizes, async (count, sizeOf) => {
    expect(await setup.gateway.reset()).toBe(true);
    const [alice, bob] = [
      await setup.gateway.createAccount('alice'),
      await setup.gateway.createAccount('bob'),
    ];
    const ids: number[] = [];
    for (let index = 0; index < count; index += 1) {
      ids.unshift(await setup.gateway.createApiKey(alice));
      await setup.gateway.createApiKey(bob);
    }
    expect((await walk('first', sizeOf)).flat()).toEqual(ids);
    const all = (await setup.gateway.rows('api_key')).filter((row) => row['account_id'] === alice);
    // Those made meanwhile are newer than all pages so far: the way back comes to them last, and to some or all.
    const backwards = (await walk('last', sizeOf)).toReversed().flat();
    expect(backwards.slice(-all.length)).toEqual(all.map(({ id }) => id).toReversed());
    expect(backwards).toEqual([...new Set(backwards)].toSorted((a, b) => b - a));
  });
  await fc.assert(property, { numRuns: inject('postgresUrl') === undefined ? 40 : 8 });
});
