import { z } from 'zod';
import { integer, onOrOff, textOfFile } from '../kinds.ts';

/** Documents by their ids, as the tools of clients write them. */
const documentList = z.record(z.string().min(1).max(200), z.string());

/** A text that is a list of documents. */
const trustedDocuments = textOfFile.transform((text, context) => {
  try {
    return documentList.parse(JSON.parse(text));
  } catch {
    context.addIssue('names a file that is not a JSON object of documents by their ids');
    return z.NEVER;
  }
});

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
      'The most values that an operation may ask for. A list counts as its `first` or `last` where that is written in the document, else as 100; one without pages as long as it can be. The introspection that tools ask for counts as 2000, and others in proportion to what they answer',
    example: '10000',
  }),
  GRAPHQL_DOCUMENTS_FILE: trustedDocuments.optional().meta({
    description:
      'The path of a file: a JSON object of GraphQL documents by their ids, which clients may send in place of the documents',
    unset: 'those of the console alone',
    example: '/etc/keyward/documents.json',
  }),
  GRAPHQL_DOCUMENT_CACHE: integer(0, 900_000_000).default(16_777_216).meta({
    description: 'The most memory of one process for parsed documents, in bytes; 0 keeps none',
    example: '33554432',
  }),
};
