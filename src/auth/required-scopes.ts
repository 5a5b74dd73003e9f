import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Organization } from '../config/values/organizations.ts';
import { badUserInput } from '../errors.ts';
import { once } from '../once.ts';
import type { AccessToken } from './access-token.ts';
import type { WithAccessToken } from './caller.ts';
import { insufficientScope, notAuthenticated, roleForbids } from './challenge.ts';
import { isIntrospection, rootFieldNames } from './root-fields.ts';
import {
  accountActor,
  accountEntitler,
  auditor,
  isOwnScope,
  operator,
  type Scope,
  scopeDescriptions,
} from './scopes.ts';

interface RequiredScopes {
  /** A token must have all of these scopes. */
  requiredScopes: readonly [Scope, ...Scope[]];
  /** Whether an operator's token needs none of them. */
  orOperator?: boolean;
  /** A scope that takes the place of all of them. */
  orScope?: Scope;
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
    const { requiredScopes, orOperator, orScope } = field.pothosOptions as Partial<RequiredScopes>;
    if (!requiredScopes?.length) throw new Error(`${field.kind}.${field.name} declares no required scopes`);
    return {
      ...field,
      extensions: {
        ...field.extensions,
        requiredScopes,
        ...(orOperator && { orOperator }),
        ...(orScope && { orScope }),
      },
    };
  }
}

SchemaBuilder.registerPlugin('requireScopes', RequireScopesPlugin);

/** Whether the scopes of a token include a scope, or another one that includes it. */
export const holds = (scopes: ReadonlySet<string>, scope: string): boolean =>
  scopes.has(scope) || (includedInOperator.includes(scope) && isOperator(scopes));

/** The scopes that an operator's includes. */
const includedInOperator: readonly string[] = [...accountEntitler, ...auditor];

/** Whether the scopes of a token are an operator's. */
export const isOperator = (scopes: ReadonlySet<string>): boolean =>
  operator.every((scope) => scopes.has(scope));

/** Whether the scopes of a token let its bearer act for other accounts. */
export const mayActForOthers = (scopes: ReadonlySet<string>): boolean =>
  accountActor.every((scope) => scopes.has(scope));

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
  if (missing.length === 0) return;
  const couldAct = missing.every(isOwnScope) && mayActForOthers(accessToken.scopes);
  throw insufficientScope(
    missing,
    required,
    couldAct ? 'To act for an account, name it in Keyward-Account' : '',
  );
}

/** For whom a request is, once that is decided. Without either, the caller asks for themselves. */
export interface ForWhom {
  /** The account that a server acts for. */
  readonly actingFor?: unknown;
  /** The organisation that one of its members acts for. */
  readonly member?: Pick<Organization, 'role' | 'config'> | undefined;
}

/** What is known of a request when its scopes are checked. */
interface Asking extends WithAccessToken, ForWhom {}

/** Whether a request is for somebody else than the caller. */
const isForAnother = ({ actingFor, member }: ForWhom): boolean =>
  actingFor !== undefined || member !== undefined;

/**
 * Lets a member see or change what an organisation owns only if their role allows it. Other requests pass.
 * @throws {GatewayError} `FORBIDDEN`; it names the roles that may
 */
export function requireRole({ member }: ForWhom, isChange: boolean): void {
  if (member === undefined || member.role === 'manage') return;
  const { manage = [], read = [] } = member.config;
  if (member.role !== 'read') throw roleForbids('see anything', [...new Set([...manage, ...read])]);
  if (isChange) throw roleForbids('change things', manage);
}

/**
 * Runs an operation only if the token has the scopes of all its root fields. The first check comes before the
 * validation of the document, so a caller learns of missing scopes before anything else. The second check comes at
 * execution, because every operation must pass there.
 * @param schema the schema whose root fields carry the extension `requiredScopes`
 */
export function useRequiredScopes(schema: GraphQLSchema): Plugin<Asking, Asking> {
  const authorize = (
    { schema, document, operationName }: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>,
    asking: Asking,
  ): void => {
    const operation = getOperationAST(document, operationName);
    const { ofAny, requiredOf, isOpen } = operation
      ? requirementOf(operation, schema, document)
      : { ofAny: none, requiredOf: () => none, isOpen: isIntrospection(document) };
    if (isOpen) return;
    const { accessToken } = asking;
    const isUsual = !isForAnother(asking) && !isPersonalOperator(accessToken);
    requireScopes((isUsual && ofAny) || requiredOf(accessToken, asking), accessToken);
    requireRole(asking, operation?.operation !== 'query');
  };
  return {
    onParse:
      () =>
      ({ context, result: document }) => {
        if (document instanceof Error) return;
        // At this point the context holds the parameters of the request, its access token, and for whom it is.
        const { params, ...asking } = context as Asking & { params?: { operationName?: string } };
        authorize({ schema, document, operationName: params?.operationName }, asking);
      },
    onExecute: ({ args }) => authorize(args, args.contextValue),
  };
}

const none: readonly string[] = [];

/**
 * The scopes that an operation requires, and whether it also runs without a token. All this is computed once for each
 * operation of a cached document. `ofAny` has the scopes that it requires of anybody but operators and those who act for
 * others; undefined if they depend on the token.
 */
const requirementOf = once(
  (operation: OperationDefinitionNode, schema: GraphQLSchema, document: DocumentNode) => {
    const root = schema.getRootType(operation.operation)?.getFields() ?? {};
    const fields = rootFieldNames(document, operation).map((name) => root[name]);
    const depends = fields.some((field) => field?.extensions['orScope'] !== undefined);
    return {
      ofAny: depends ? undefined : [...new Set(fields.flatMap(requiredScopesOf))],
      requiredOf: (accessToken: AccessToken | undefined, forWhom: ForWhom) => [
        ...new Set(fields.flatMap((field) => scopesRequiredOf(field, accessToken, forWhom))),
      ],
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
type WithScopes =
  | { readonly extensions: { requiredScopes?: unknown; orOperator?: unknown; orScope?: unknown } }
  | undefined;

/** The scopes that a root field requires. */
export const requiredScopesOf = (field: WithScopes) =>
  (field?.extensions.requiredScopes ?? []) as readonly string[];

/** Whether an operator's token needs none of the scopes that a root field requires. */
const isForOperatorsToo = (field: WithScopes): boolean => field?.extensions.orOperator === true;

/** Whether a root field is about the caller's own data, so that a server can run it for another account. */
export const isForOwner = (field: WithScopes): boolean => requiredScopesOf(field).every(isOwnScope);

/** The sets of scopes of which a token needs one to run a root field. The last may need a header field as well. */
export const alternativesOf = (field: WithScopes): (readonly string[])[] => [
  requiredScopesOf(field),
  ...(isForOperatorsToo(field) ? [operator] : []),
  ...(typeof field?.extensions.orScope === 'string' ? [[field.extensions.orScope]] : []),
  ...(isForOwner(field) ? [accountActor] : []),
];

/** Whether a token has the scope that takes the place of those that a root field requires. */
const hasOther = (field: WithScopes, accessToken: AccessToken | undefined): boolean =>
  typeof field?.extensions.orScope === 'string' &&
  accessToken !== undefined &&
  holds(accessToken.scopes, field.extensions.orScope);

/**
 * The scopes that a root field requires of a token.
 * @param accessToken undefined: there is no token
 * @param forWhom for whom the request is
 * @throws {GatewayError} `BAD_USER_INPUT` if nobody can act for another account there
 */
export function scopesRequiredOf(
  field: WithScopes,
  accessToken: AccessToken | undefined,
  forWhom: ForWhom,
): readonly string[] {
  if (isForAnother(forWhom) && !isForOwner(field)) throw notForAccounts(forWhom);
  if (forWhom.actingFor !== undefined) return accountActor;
  const isFree =
    hasOther(field, accessToken) || (isForOperatorsToo(field) && isPersonalOperator(accessToken));
  return isFree ? none : requiredScopesOf(field);
}

/** The error for an operation that is not about an account's own data. */
const notForAccounts = ({ member }: ForWhom) =>
  badUserInput([
    {
      path: ['header', member === undefined ? 'keyward-account' : 'keyward-organization'],
      message: 'Is only for operations on what an account owns: leave it out here.',
      type: 'value_error',
    },
  ]);
