import fc from 'fast-check';
import { createSchema, createYoga } from 'graphql-yoga';
import { expect, it } from 'vitest';
import { negotiateMediaType } from '../../../src/graphql/answer-graphql.ts';

const json = 'application/json';
const graphql = 'application/graphql-response+json';

it('any Accept without weights and wildcards → what Yoga chooses, if that is one of the two', async () => {
  const yoga = createYoga({
    schema: createSchema({ typeDefs: 'type Query { a: Int }' }),
    graphiql: false,
    landingPage: false,
    logging: false,
  });
  const range = fc.constantFrom(json, graphql, 'text/html', `${json};charset=latin1`, 'x/y');
  const property = fc.asyncProperty(fc.uniqueArray(range, { minLength: 1 }), async (ranges) => {
    const accept = ranges.join(', ');
    const { headers } = await yoga.fetch('http://a/graphql?query={a}', { headers: { accept } });
    const [chosen = ''] = headers.get('content-type')?.split(';') ?? [];
    if (chosen !== json && chosen !== graphql) expect(() => negotiateMediaType(accept)).toThrow();
    else expect(negotiateMediaType(accept)).toBe(chosen);
  });
  await fc.assert(property, { numRuns: 300 });
});
