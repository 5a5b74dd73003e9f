import { type DocumentNode, type GraphQLSchema, getOperationAST } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { requireScopes } from './access-token.ts';
import { notAuthenticated } from './challenge.ts';
import { isIntrospection, rootFieldNames } from './root-fields.ts';
import type { WithAccessToken } from './use-access-token.ts';

/**
 * Lets an operation run only for a token that has the scopes of every root field in it. Looks before the document is
 * validated, so that whoever lacks them learns that first; and again at execution, which nothing gets around.
 * @param schema whose root fields carry the extension `requiredScopes`
 */
export function useRequiredScopes(schema: GraphQLSchema): Plugin<WithAccessToken, WithAccessToken> {
  return {
    onRequestParse: ({ requestParser, setRequestParser, serverContext }) => {
      if (serverContext.accessToken) return;
      setRequestParser(async (request) => {
        try {
          const params = await requestParser?.(request);
          if (isRequest(params)) return params;
        } catch {}
        throw notAuthenticated();
      });
    },
    onParse:
      () =>
      ({ context, result }) => {
        // At this point the context holds what the request brought: its parameters, and the token.
        const { params, ...token } = context as WithAccessToken & { params?: { operationName?: string } };
        const operationName = params?.operationName;
        if (!(result instanceof Error)) authorize(schema, result, operationName, token);
        else if (!token.accessToken) throw notAuthenticated();
      },
    onExecute: ({ args }) => authorize(args.schema, args.document, args.operationName, args.contextValue),
  };
}

/** Whether a request is formed as GraphQL over HTTP has it: what Yoga would say of another is not for strangers. */
const isRequest = (params: object | undefined): params is GraphQLParams => {
  if (params === undefined || Array.isArray(params)) return false;
  const { query, operationName, variables, extensions, ...unknown }: Record<string, unknown> = { ...params };
  const areObjects = [variables, extensions].every((value) => value == null || typeof value === 'object');
  const isNamed = operationName == null || typeof operationName === 'string';
  return typeof query === 'string' && isNamed && areObjects && Object.keys(unknown).length === 0;
};

function authorize(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  { accessToken }: WithAccessToken,
): void {
  if (!accessToken && isIntrospection(document)) return;
  const operation = getOperationAST(document, operationName);
  const root = operation && schema.getRootType(operation.operation)?.getFields();
  const names = root ? rootFieldNames(document, operation) : [];
  const required = names.flatMap((name) => requiredScopesOf(root?.[name]));
  requireScopes([...new Set(required)], accessToken);
}

/** The scopes that a root field requires. */
export const requiredScopesOf = (field: { extensions: { requiredScopes?: unknown } } | undefined) =>
  (field?.extensions.requiredScopes ?? []) as readonly string[];
