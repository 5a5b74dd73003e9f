import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { YogaInitialContext } from 'graphql-yoga';
import type { z } from 'zod';
import type { OperationContext } from '../operations/context.ts';
import type { Operation } from '../operations/operation.ts';
import '../auth/required-scopes.ts';
import './field-facts.ts';
import './run-operation.ts';

/** The options of lists in GraphQL: Relay's connections, with as few nullable fields as possible. */
const connectionOptions = {
  nodeQueryOptions: false,
  nodesQueryOptions: false,
  defaultConnectionTypeOptions: { description: 'A page of a list.' },
  defaultEdgeTypeOptions: { description: 'One item of a list, with its cursor.' },
  edgesFieldOptions: {
    nullable: { list: false, items: false },
    description: 'The items on this page, in order.',
  },
  nodeFieldOptions: { nullable: false, description: 'The item.' },
  cursorFieldOptions: {
    description: 'Cursor of this item, for `after` and `before`.',
    example: 'MjA',
  },
  pageInfoFieldOptions: { description: 'The position of this page in the list.' },
  pageInfoTypeOptions: { description: 'The position of a page in its list.' },
  hasNextPageFieldOptions: {
    description: 'Whether there are more items after `endCursor`.',
    example: true,
  },
  hasPreviousPageFieldOptions: {
    description: 'Whether there are more items before `startCursor`.',
    example: false,
  },
  startCursorFieldOptions: {
    description: 'Cursor of the first item on this page. Null if the page is empty.',
    example: 'MjA',
  },
  endCursorFieldOptions: {
    description: 'Cursor of the last item on this page. Null if the page is empty.',
    example: 'MQ',
  },
  firstArgOptions: {
    description: 'Number of items from the start or after a cursor (0–100). Default: 100.',
    example: 20,
  },
  afterArgOptions: {
    description: 'Return items after this cursor.',
    example: 'MjA',
  },
  lastArgOptions: {
    description: 'Number of items from the end or before a cursor (0–100), in place of `first`.',
    example: 20,
  },
  beforeArgOptions: {
    description: 'Return items before this cursor.',
    example: 'MQ',
  },
} as const;

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
  plugins: ['requireScopes', 'fieldFacts', 'rootFields', RelayPlugin],
  defaultFieldNullability: false,
  relay: connectionOptions,
});

/** How a server runs the fields of an account's owner. */
const acting =
  "A provider's server with the scope `accounts.act` runs the fields about your own things for another account: the header `Keyward-Account` has the account's id. A member of an organization runs them for it: the header `Keyward-Organization` has its id, as in the access token.";

builder.queryType({ description: `What can be read. ${acting}` });
builder.mutationType({ description: `What can be changed. ${acting}` });

/** The type of a field with a time that may be null. */
export const timeOrNull = { type: 'DateTime', nullable: true } as const;

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
