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

/** What a caller's document may hold. */
export interface DocumentLimits {
  /** Names, numbers, texts, punctuation. */
  readonly tokens: number;
  /** Levels of fields; those of `__schema` are not counted. */
  readonly depth: number;
  /** In an operation. */
  readonly aliases: number;
  /** In an operation. */
  readonly directives: number;
  /** Values that an answer may hold. */
  readonly cost: number;
}

/** The limits that nothing changes: the operations themselves need less. */
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

/**
 * Refuses documents that ask for too much, with 400 and `BAD_REQUEST`, before anything is resolved and before they are
 * validated in full. A document that is kept was looked at once.
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
    // One is enough to be told.
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

/** graphql-js has no code for it. */
const isTooLong = (result: unknown): boolean =>
  result instanceof GraphQLError &&
  /^Syntax Error: Document contains more that \d+ tokens/.test(result.message);
