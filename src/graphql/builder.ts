import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { YogaInitialContext } from 'graphql-yoga';
import type { z } from 'zod';
import type { OperationContext } from '../operations/context.ts';
import type { Operation } from '../operations/operation.ts';
import { connectionOptions } from './connection-options.ts';
import '../auth/required-scopes.ts';
import './field-facts.ts';
import './run-operation.ts';

/** The context of resolvers: an operation's context within a request. */
interface GatewayContext extends YogaInitialContext, OperationContext {}

/** A JSON object. */
type JsonObject = Readonly<Record<string, unknown>>;

/** The schema's builder. Other folders define their types and fields with it; `gateway/schema.ts` builds the schema. */
export const builder = new SchemaBuilder<{
  Context: GatewayContext;
  Scalars: {
    DateTime: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    JSONObject: { Input: JsonObject; Output: JsonObject };
  };
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
}>({
  plugins: ['requireScopes', 'fieldFacts', 'noteAccount', 'runOnce', RelayPlugin],
  defaultFieldNullability: false,
  relay: connectionOptions,
});

builder.queryType({ description: 'What can be read.' });
builder.mutationType({ description: 'What can be changed.' });

/** The field builder of a function that makes fields for several types. */
export type FieldBuilder<Shape> = PothosSchemaTypes.ObjectFieldBuilder<
  (typeof builder)['$inferSchemaTypes'],
  Shape
>;

/** The argument builder of a function that makes arguments for several root fields. */
export type ArgumentBuilder = Pick<
  PothosSchemaTypes.MutationFieldBuilder<(typeof builder)['$inferSchemaTypes'], object>,
  'arg'
>;

/** Makes a root field run an operation: the schema of its input, and the resolver. */
export const runs = <Schema extends z.ZodType, Result>(operation: Operation<Schema, Result>) => ({
  input: operation.input,
  resolve: (_root: object, input: z.input<Schema>, context: OperationContext): Promise<Result> =>
    operation(context, input),
});
