import { type DocumentNode, type GraphQLSchema, getOperationAST } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { requireScopes } from './access-token.ts';
import { isIntrospection, rootFieldNames } from './root-fields.ts';
import type { WithAccessToken } from './use-access-token.ts';

/**
 * Lets an operation run only for a token that has the scopes of every root field in it. Looks before the document is
 * validated, so that whoever lacks them learns that first; and again at execution, which nothing gets around.
 * @param schema whose root fields carry the extension `requiredScopes`
 */
export function useRequiredScopes(schema: GraphQLSchema): Plugin<WithAccessToken, WithAccessToken> {
  return {
    onParse:
      () =>
      ({ context, result }) => {
        if (result instanceof Error) return;
        // At this point the context holds what the request brought: its parameters, and the token.
        const { params, ...token } = context as WithAccessToken & { params?: { operationName?: string } };
        authorize(schema, result, params?.operationName, token);
      },
    onExecute: ({ args }) => authorize(args.schema, args.document, args.operationName, args.contextValue),
  };
}

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
