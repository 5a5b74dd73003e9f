import { integer, onOrOff } from '../kinds.ts';

/** What a GraphQL document may ask for. */
export const graphqlVariables = {
  GRAPHQL_INTROSPECTION: onOrOff.default(true).meta({
    description: "`off`: GraphQL's introspection is refused",
    example: 'off',
  }),
  GRAPHQL_MAX_TOKENS: integer(1, 1_000_000).default(1000).meta({
    description: 'The most tokens of a document: names, numbers, texts, punctuation',
    example: '2000',
  }),
  GRAPHQL_MAX_DEPTH: integer(1, 1000).default(8).meta({
    description: 'The most levels of fields in a document; those of `__schema` are not counted',
    example: '12',
  }),
  GRAPHQL_MAX_ALIASES: integer(0, 10_000).default(10).meta({
    description: 'The most aliases in an operation',
    example: '20',
  }),
  GRAPHQL_MAX_DIRECTIVES: integer(0, 10_000).default(20).meta({
    description: 'The most directives in an operation',
    example: '50',
  }),
  GRAPHQL_MAX_COST: integer(1, 100_000_000).default(5000).meta({
    description:
      'The most values that an operation may ask for. A list counts as its `first` or `last` where that is written in the document, else as 100. The introspection that tools ask for counts as 2000, and others in proportion to what they answer',
    example: '10000',
  }),
  GRAPHQL_DOCUMENT_CACHE: integer(0, 900_000_000).default(16_777_216).meta({
    description: 'The most memory of one process for parsed documents, in bytes; 0 keeps none',
    example: '33554432',
  }),
};
