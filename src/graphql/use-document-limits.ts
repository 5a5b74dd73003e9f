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
import { GatewayError } from '../errors.ts';
import { costOf } from './document-cost.ts';
import { toGraphQLError } from './graphql-errors.ts';

/** The limits of a caller's document. */
export interface DocumentLimits {
  /** The most tokens of a document: names, numbers, texts, punctuation. */
  readonly tokens: number;
  /** The most levels of fields; the levels of `__schema` do not count. */
  readonly depth: number;
  /** The most aliases of an operation. */
  readonly aliases: number;
  /** The most directives of an operation. */
  readonly directives: number;
  /** The most values of an answer. */
  readonly cost: number;
}

/** The limits that no variable changes, because the operations themselves need less. */
export const fixedLimits: Omit<DocumentLimits, 'cost'> = {
  tokens: 1000,
  depth: 8,
  aliases: 10,
  directives: 20,
};

const refusal = (limit: number, what: string): GraphQLError =>
  toGraphQLError(
    new GatewayError('BAD_REQUEST', `The document has more than ${limit} ${what}`, {
      reason: 'document-limit',
    }),
  );

/** The most characters of a name. An alias inside a list appears in the answer once for each member of the list. */
const longestName = 200;

/** Whether a document has a name that is too long. Comments and strings may be as long as the request. */
function hasLongName({ loc }: DocumentNode): boolean {
  for (let token = loc?.startToken; token; token = token.next ?? undefined) {
    if (token.kind === TokenKind.NAME && token.end - token.start > longestName) return true;
  }
  return false;
}

/** Makes graphql-armor report an error of validation, so that the result is cached with the document. */
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

/**
 * Refuses excessive documents with 400 and `BAD_REQUEST`, before the full validation and before any resolver runs. A
 * cached document needs no second check.
 */
export function useDocumentLimits({ tokens, depth, aliases, directives, cost }: DocumentLimits): Plugin {
  const rules = [
    maxDepthRule({ ...armor(depth, 'levels'), flattenFragments: true }),
    maxAliasesRule(armor(aliases, 'aliases')),
    maxDirectivesRule(armor(directives, 'directives')),
    costRule(cost),
  ] as ValidationRule[];
  const parseWithin: typeof parse = (source, options) => parse(source, { ...options, maxTokens: tokens });
  const validateWithin: typeof validate = (schema, document, ...rest) => {
    // The answer shows only the first error.
    const excess = validate(schema, document, rules).slice(0, 1);
    return excess.length > 0 ? excess : validate(schema, document, ...rest);
  };
  return {
    onParse: ({ setParseFn }) => {
      setParseFn(parseWithin);
      return ({ result }) => {
        if (isTooLong(result)) throw refusal(tokens, 'tokens');
        if ('definitions' in result && hasLongName(result))
          throw refusal(longestName, 'characters in a name');
      };
    },
    onValidate: ({ setValidationFn }) => setValidationFn(validateWithin),
  };
}

/** Whether the document has too many tokens. graphql-js has no error code for this. */
const isTooLong = (result: unknown): boolean =>
  result instanceof GraphQLError &&
  /^Syntax Error: Document contains more that \d+ tokens/.test(result.message);
