import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { once } from '../once.ts';
import type { AccessToken } from './access-token.ts';
import type { WithAccessToken } from './caller.ts';
import { insufficientScope, notAuthenticated } from './challenge.ts';
import { isIntrospection, rootFieldNames } from './root-fields.ts';
import { accountEntitler, operator, type Scope, scopeDescriptions } from './scopes.ts';

interface RequiredScopes {
  /** A token must have all of these scopes. */
  requiredScopes: readonly [Scope, ...Scope[]];
  /** Whether an operator's token needs none of them. */
  orOperator?: boolean;
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

/** Refuses to build a root field without declared scopes, and passes the scopes to the server's plugins. */
class RequireScopesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>): PothosOutputFieldConfig<Types> {
    if (!rootKinds.includes(field.kind)) return field;
    const { requiredScopes, orOperator } = field.pothosOptions as Partial<RequiredScopes>;
    if (!requiredScopes?.length) throw new Error(`${field.kind}.${field.name} declares no required scopes`);
    return {
      ...field,
      extensions: { ...field.extensions, requiredScopes, ...(orOperator && { orOperator }) },
    };
  }
}

SchemaBuilder.registerPlugin('requireScopes', RequireScopesPlugin);

/** Whether the scopes of a token include a scope, or another one that includes it. */
export const holds = (scopes: ReadonlySet<string>, scope: string): boolean =>
  scopes.has(scope) || (accountEntitler.some((each) => each === scope) && isOperator(scopes));

/** Whether the scopes of a token are an operator's. */
export const isOperator = (scopes: ReadonlySet<string>): boolean =>
  operator.every((scope) => scopes.has(scope));

/** Whether a token is of an operator who is a person: only people have what belongs to an account. */
const isPersonalOperator = (accessToken: AccessToken | undefined): boolean =>
  accessToken !== undefined && accessToken.server === undefined && isOperator(accessToken.scopes);

/**
 * Lets a caller pass only with all required scopes.
 * @throws {GatewayError} `UNAUTHENTICATED` without a token, `FORBIDDEN` with too few scopes
 */
export function requireScopes(required: readonly string[], accessToken: AccessToken | undefined): void {
  if (!accessToken) throw notAuthenticated();
  const missing = required.filter((scope) => !holds(accessToken.scopes, scope));
  if (missing.length > 0) throw insufficientScope(missing, required);
}

/**
 * Runs an operation only if the token has the scopes of all its root fields. The first check comes before the
 * validation of the document, so a caller learns of missing scopes before anything else. The second check comes at
 * execution, because every operation must pass there.
 * @param schema the schema whose root fields carry the extension `requiredScopes`
 */
export function useRequiredScopes(schema: GraphQLSchema): Plugin<WithAccessToken, WithAccessToken> {
  const authorize = (
    { schema, document, operationName }: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>,
    { accessToken }: WithAccessToken,
  ): void => {
    const operation = getOperationAST(document, operationName);
    const { ofOthers, ofOperator, isOpen } = operation
      ? requirementOf(operation, schema, document)
      : { ofOthers: [], ofOperator: [], isOpen: isIntrospection(document) };
    if (!isOpen) requireScopes(isPersonalOperator(accessToken) ? ofOperator : ofOthers, accessToken);
  };
  return {
    onParse:
      () =>
      ({ context, result: document }) => {
        if (document instanceof Error) return;
        // At this point the context holds the parameters of the request and its access token.
        const { params, ...token } = context as WithAccessToken & { params?: { operationName?: string } };
        authorize({ schema, document, operationName: params?.operationName }, token);
      },
    onExecute: ({ args }) => authorize(args, args.contextValue),
  };
}

/**
 * The scopes that an operation requires of an operator's token, and of any other, and whether it also runs without a
 * token. All this is computed once for each operation of a cached document.
 */
const requirementOf = once(
  (operation: OperationDefinitionNode, schema: GraphQLSchema, document: DocumentNode) => {
    const root = schema.getRootType(operation.operation)?.getFields() ?? {};
    const fields = rootFieldNames(document, operation).map((name) => root[name]);
    return {
      ofOthers: [...new Set(fields.flatMap(requiredScopesOf))],
      ofOperator: [...new Set(fields.flatMap(requiredOfOperator))],
      isOpen: isIntrospection(document),
    };
  },
);

/** All scopes that at least one root field of a schema requires. */
export function scopesIn(schema: GraphQLSchema): Scope[] {
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}),
  );
  const required = new Set(fields.flatMap(requiredScopesOf));
  return (Object.keys(scopeDescriptions) as Scope[]).filter((scope) => required.has(scope));
}

/** A root field with the extensions that the plugin of the schema has added. */
type WithScopes = { readonly extensions: { requiredScopes?: unknown; orOperator?: unknown } } | undefined;

/** The scopes that a root field requires. */
export const requiredScopesOf = (field: WithScopes) =>
  (field?.extensions.requiredScopes ?? []) as readonly string[];

/** Whether an operator's token needs none of the scopes that a root field requires. */
export const isForOperatorsToo = (field: WithScopes): boolean => field?.extensions.orOperator === true;

/** The scopes that a root field requires of an operator's token. */
const requiredOfOperator = (field: WithScopes): readonly string[] =>
  isForOperatorsToo(field) ? [] : requiredScopesOf(field);

/**
 * The scopes that a root field requires of a token.
 * @param accessToken undefined: there is no token
 */
export const scopesRequiredOf = (
  field: WithScopes,
  accessToken: AccessToken | undefined,
): readonly string[] =>
  isPersonalOperator(accessToken) ? requiredOfOperator(field) : requiredScopesOf(field);
