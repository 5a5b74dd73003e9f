import { maxAliasesRule } from '@escape.tech/graphql-armor-max-aliases';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import { maxDirectivesRule } from '@escape.tech/graphql-armor-max-directives';
import {
  type DocumentNode,
  GraphQLError,
  type OperationDefinitionNode,
  parse,
  TokenKind,
  type ValidationContext,
  type ValidationRule,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { DocumentConfig } from '../config/config.ts';
import { GatewayError } from '../errors.ts';
import { costOf } from './document-cost.ts';
import { toGraphQLError } from './mask-error.ts';

const refusal = (limit: number, what: string): GraphQLError =>
  toGraphQLError(
    new GatewayError('BAD_REQUEST', `The document has more than ${limit} ${what}`, {
      reason: 'document-limit',
    }),
  );

/** The most characters of a name: an alias stands in the answer as often as the list that it is in has members. */
const longestName = 200;

/** Whether a document has a name that is too long. Comments and texts may be as long as the request. */
function hasLongName({ loc }: DocumentNode): boolean {
  for (let token = loc?.startToken; token; token = token.next ?? undefined) {
    if (token.kind === TokenKind.NAME && token.end - token.start > longestName) return true;
  }
  return false;
}

/** How graphql-armor is told to refuse: as validation does, so that it is remembered with the document. */
const armor = (n: number, what: string) => ({
  n,
  propagateOnRejection: false,
  onReject: [(context: ValidationContext | null) => context?.reportError(refusal(n, what))],
});

const costRule =
  (limit: number): ValidationRule =>
  (context) => {
    const visit = (operation: OperationDefinitionNode): void => {
      if (costOf(operation, context, limit) > limit) context.reportError(refusal(limit, 'values to answer'));
    };
    return { OperationDefinition: visit };
  };

/** How documents are read: graphql-js's parser and validation, within limits. */
export interface DocumentReader {
  /** @throws {GraphQLError} */
  readonly parse: (...args: Parameters<typeof parse>) => DocumentNode;
  readonly validate: typeof validate;
}

/** Reads documents, and refuses those that ask for too much before they are validated in full. */
export function readWithin({ tokens, depth, aliases, directives, cost }: DocumentConfig): DocumentReader {
  const rules = [
    maxDepthRule({ ...armor(depth, 'levels'), flattenFragments: true }),
    maxAliasesRule(armor(aliases, 'aliases')),
    maxDirectivesRule(armor(directives, 'directives')),
    costRule(cost),
  ] as ValidationRule[];
  return {
    parse: (source, options) => {
      const document = parseTokens(tokens, source, options);
      if (hasLongName(document)) throw refusal(longestName, 'characters in a name');
      return document;
    },
    validate: (schema, document, ...rest) => {
      // One is enough to be told.
      const excess = validate(schema, document, rules).slice(0, 1);
      return excess.length > 0 ? excess : validate(schema, document, ...rest);
    },
  };
}

function parseTokens(tokens: number, ...[source, options]: Parameters<typeof parse>): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: tokens });
  } catch (error) {
    throw isTooLong(error) ? refusal(tokens, 'tokens') : error;
  }
}

/**
 * Refuses documents that ask for too much, with 400 and `BAD_REQUEST`, before anything is resolved. A document that is
 * kept was looked at once.
 */
export const useDocumentLimits = ({ parse, validate }: DocumentReader): Plugin => ({
  onParse: ({ setParseFn }) => setParseFn(parse),
  onValidate: ({ setValidationFn }) => setValidationFn(validate),
});

/** graphql-js has no code for it. */
const isTooLong = (result: unknown): boolean =>
  result instanceof GraphQLError &&
  /^Syntax Error: Document contains more that \d+ tokens/.test(result.message);
