/**
 * A GraphQL document as the build writes it into the pages, in place of its syntax tree: so no page needs to read or
 * write GraphQL.
 */
export interface CompiledDocument {
  /** The id by which the server knows the document: the SHA-256 digest of its text. */
  readonly id: string;
  readonly text: string;
  /** Whether it is a mutation. */
  readonly isChange: boolean;
}
