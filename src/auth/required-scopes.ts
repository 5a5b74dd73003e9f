import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { AccessToken } from './access-token.ts';
import type { WithAccessToken } from './caller.ts';
import { insufficientScope, notAuthenticated } from './challenge.ts';
import { isIntrospection, rootFieldNames } from './root-fields.ts';
import { type Scope, scopeDescriptions } from './scopes.ts';

interface RequiredScopes {
  /** The scopes that a token must have, all of them. */
  requiredScopes: readonly [Scope, ...Scope[]];
}

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      requireScopes: RequireScopesPlugin<Types>;
    }
    interface QueryFieldOptions<Types, Type, Nullable, Args, ResolveReturnShape> extends RequiredScopes {}
    interface MutationFieldOptions<Types, Type, Nullable, Args, ResolveReturnShape> extends RequiredScopes {}
    interface SubscriptionFieldOptions<Types, Type, Nullable, Args, ResolveShape, ResolveReturnShape>
      extends RequiredScopes {}
  }
}

const rootKinds: readonly string[] = ['Query', 'Mutation', 'Subscription'];

/** Refuses to build a root field that declares no scopes, and shows the scopes to server plugins. */
class RequireScopesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (!rootKinds.includes(field.kind)) return field;
    const { requiredScopes } = field.pothosOptions as Partial<RequiredScopes>;
    if (!requiredScopes?.length) throw new Error(`${field.kind}.${field.name} declares no required scopes`);
    return { ...field, extensions: { ...field.extensions, requiredScopes } };
  }
}

SchemaBuilder.registerPlugin('requireScopes', RequireScopesPlugin);

/**
 * Lets a caller pass who has every scope that is required.
 * @throws {GatewayError} `UNAUTHENTICATED` without a token, `FORBIDDEN` with too few scopes
 */
export function requireScopes(required: readonly string[], accessToken: AccessToken | undefined): void {
  if (!accessToken) throw notAuthenticated();
  const missing = required.filter((scope) => !accessToken.scopes.has(scope));
  if (missing.length > 0) throw insufficientScope(missing, required);
}

/**
 * Lets an operation run only for a token that has the scopes of every root field in it. Looks before the document is
 * validated, so that whoever lacks them learns that first; and again at execution, which nothing gets around.
 * @param schema whose root fields carry the extension `requiredScopes`
 */
export function useRequiredScopes(schema: GraphQLSchema): Plugin<WithAccessToken, WithAccessToken> {
  const requirementOf = createRequirements();
  const authorize = (
    { schema, document, operationName }: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>,
    { accessToken }: WithAccessToken,
  ): void => {
    const { scopes, isOpen } = requirementOf(schema, document, operationName);
    if (!isOpen) requireScopes(scopes, accessToken);
  };
  return {
    onParse:
      () =>
      ({ context, result: document }) => {
        if (document instanceof Error) return;
        // At this point the context holds what the request brought: its parameters, and the token.
        const { params, ...token } = context as WithAccessToken & { params?: { operationName?: string } };
        authorize({ schema, document, operationName: params?.operationName }, token);
      },
    onExecute: ({ args }) => authorize(args, args.contextValue),
  };
}

/** What an operation requires of a token, and whether it is answered without one as well. */
interface Requirement {
  readonly scopes: readonly string[];
  readonly isOpen: boolean;
}

/** Reads what an operation requires, once for each operation of a document that is kept. */
function createRequirements() {
  const known = new WeakMap<OperationDefinitionNode, Requirement>();
  return (
    schema: GraphQLSchema,
    document: DocumentNode,
    operationName: string | null | undefined,
  ): Requirement => {
    const operation = getOperationAST(document, operationName);
    if (!operation) return { scopes: [], isOpen: isIntrospection(document) };
    const requirement = known.get(operation) ?? {
      scopes: scopesOf(schema, document, operation),
      isOpen: isIntrospection(document),
    };
    known.set(operation, requirement);
    return requirement;
  };
}

function scopesOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): string[] {
  const root = schema.getRootType(operation.operation)?.getFields();
  const names = root ? rootFieldNames(document, operation) : [];
  return [...new Set(names.flatMap((name) => requiredScopesOf(root?.[name])))];
}

/** The scopes that the root fields of a schema require, whichever it is. */
export function scopesIn(schema: GraphQLSchema): Scope[] {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  const required = new Set(fields.flatMap(requiredScopesOf));
  return (Object.keys(scopeDescriptions) as Scope[]).filter((scope) => required.has(scope));
}

/** The scopes that a root field requires. */
export const requiredScopesOf = (field: { extensions: { requiredScopes?: unknown } } | undefined) =>
  (field?.extensions.requiredScopes ?? []) as readonly string[];
