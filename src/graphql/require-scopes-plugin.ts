import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';

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
