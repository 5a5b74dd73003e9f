import { integer, onOrOff } from '../values/kinds.ts';

/** The variables that limit GraphQL documents. */
export const graphqlVariables = {
  GRAPHQL_INTROSPECTION: onOrOff.default(true).meta({
    description: "`off`: GraphQL's introspection is refused",
    example: 'off',
  }),
  GRAPHQL_MAX_COST: integer(1, 100_000_000).default(5000).meta({
    description:
      'The most values that an operation may ask for. A list counts as its `first` or `last` where that is written in the document, else as 100; one without pages as long as it can be. The introspection that tools ask for counts as 2000, and others in proportion to what they answer',
    example: '10000',
  }),
};
