import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { DocumentNode, GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql';
import { rootFields } from '../auth/root-fields.ts';
import type { Exchange } from '../http/exchange.ts';
import type { OperationContext } from '../operations/context.ts';
import { notAlone } from '../operations/idempotency-key.ts';
import { isChange } from './is-change.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      runOnce: RunOncePlugin<Types>;
    }
  }
}

/** The key stands for one request, so one operation. */
function assertAlone({ operation, fragments }: GraphQLResolveInfo): void {
  const document = { kind: 'Document', definitions: [operation, ...Object.values(fragments)] };
  if (rootFields(document as DocumentNode, operation).length === 1) return;
  throw notAlone();
}

/** Has a root field that changes something run once for an `Idempotency-Key`. */
class RunOncePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (field.kind !== 'Mutation' || !isChange(field)) return resolve;
    const { name } = field;
    return async (parent, input, context, info) => {
      const { idempotencyKey: key, idempotency, record } = context as OperationContext & Exchange;
      if (key === null) return resolve(parent, input, context, info);
      assertAlone(info);
      const { result, isReplayed } = await idempotency.runOnce(
        context as OperationContext,
        { key, name, input },
        async (inner) => resolve(parent, input, inner as Types['Context'], info),
      );
      record.isReplayed = isReplayed;
      return result;
    };
  }
}

SchemaBuilder.registerPlugin('runOnce', RunOncePlugin);
