import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { ConfigError } from '../config/config-error.ts';

/** Documents that the operator and the pages of this service ask by their ids, read once. */
export interface TrustedDocuments {
  /** The text of a document; undefined where no document has the id. */
  textOf(id: string): string | undefined;
  /** The documents by their texts. */
  readonly parsed: ReadonlyMap<string, DocumentNode>;
}

/** A SHA-256 digest alone, as the tools of clients write it into their lists. */
const digest = /^[\da-f]{64}$/;

/**
 * Reads documents. The limits are for what callers send: these may be as long and as deep as whoever wrote them wants.
 * @param texts documents by their ids; a SHA-256 digest in hexadecimal digits stands for `sha256:` and itself
 * @param introspection whether they may ask about the schema: it is answered without a token too
 * @throws {ConfigError} names each document that no request could use
 */
export function readTrustedDocuments(
  schema: GraphQLSchema,
  texts: Readonly<Record<string, string>>,
  introspection: boolean,
): TrustedDocuments {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const faults: string[] = [];
  const byId = new Map<string, string>();
  const parsed = new Map<string, DocumentNode>();
  for (const [id, text] of Object.entries(texts)) {
    try {
      const document = parse(text);
      const [error] = validate(schema, document, rules);
      if (error) throw error;
      byId.set(digest.test(id) ? `sha256:${id}` : id, text);
      parsed.set(text, document);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      faults.push(`GRAPHQL_DOCUMENTS_FILE: the document ${JSON.stringify(id)}: ${error.message}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return { textOf: (id) => byId.get(id), parsed };
}
