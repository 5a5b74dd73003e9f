import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { YogaInitialContext } from 'graphql-yoga';
import type { OperationContext } from '../operations/context.ts';
import { connectionOptions } from './connection-options.ts';
import '../auth/required-scopes.ts';
import './field-facts.ts';
import './run-operation.ts';

/** What resolvers are given: an operation's context, within a request. */
interface GatewayContext extends YogaInitialContext, OperationContext {}

/** What JSON has in braces. */
type JsonObject = Readonly<Record<string, unknown>>;

/** The schema's builder; the slices define on it, `src/schema.ts` builds. */
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

/** What a type's fields are made with, where types share them. */
export type FieldBuilder<Shape> = PothosSchemaTypes.ObjectFieldBuilder<
  (typeof builder)['$inferSchemaTypes'],
  Shape
>;

/** What a root field's arguments are made with, where fields share them. */
export type ArgumentBuilder = Pick<
  PothosSchemaTypes.MutationFieldBuilder<(typeof builder)['$inferSchemaTypes'], object>,
  'arg'
>;
