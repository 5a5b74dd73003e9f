import { integer, onOrOff } from '../values/kinds.ts';

/** The variables that limit GraphQL documents. */
export const graphqlVariables = {
  GRAPHQL_INTROSPECTION: onOrOff.default(true).meta({
    description: '`off` refuses GraphQL introspection',
    example: 'off',
  }),
  GRAPHQL_MAX_COST: integer(1, 100_000_000).default(5000).meta({
    description:
      'The most values that an operation may select. A list counts as its literal `first` or `last`, otherwise as 100; a list without pages, as its maximum length. The usual introspection query counts as 2000, others in proportion to their response',
    example: '10000',
  }),
};
