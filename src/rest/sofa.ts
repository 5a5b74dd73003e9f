import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type NameNode,
  parse,
  print,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { useSofa } from 'sofa-api';
import { factsOf } from '../graphql/field-facts.ts';
import type { RunCompiled } from '../graphql/run-operation.ts';
import { once } from '../once.ts';
import type { BoundRoute } from './bound-routes.ts';
import { nodeTypeOf, restName, snakeCase, toRestSchema, withRestValues } from './rest-schema.ts';
import { basePath, type Routes } from './routes.ts';

/** The GraphQL operation that a route stands for. */
type Operation = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>;

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });

const selectionOf = (document: DocumentNode): SelectionSetNode | undefined => {
  const [operation] = document.definitions;
  return operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet : undefined;
};

/** Selects the parts of a connection that REST needs, around the selection of its nodes. */
const connectionOf = (nodes: SelectionSetNode): SelectionSetNode | undefined =>
  selectionOf(parse(`{ edges { node ${print(nodes)} } pageInfo { hasNextPage endCursor } }`));

/** Turns a field with REST names into the GraphQL field, with the REST name as its alias. */
function toGraphqlField(node: FieldNode, { name, args, type }: GraphQLField<unknown, unknown>): FieldNode {
  const original = new Map(args.map((argument) => [restName(argument.name, type), argument.name]));
  const renamed = node.arguments?.map((argument) => ({
    ...argument,
    name: nameNode(original.get(argument.name.value) ?? argument.name.value),
  }));
  const selectionSet =
    node.selectionSet && nodeTypeOf(type) ? connectionOf(node.selectionSet) : node.selectionSet;
  return {
    ...node,
    name: nameNode(name),
    ...(name !== node.name.value && { alias: node.alias ?? node.name }),
    ...(renamed && { arguments: renamed }),
    ...(selectionSet && { selectionSet }),
  };
}

/**
 * Turns an operation on the REST schema into one on the GraphQL schema. REST names become aliases, and a list becomes
 * a connection. So the answer has REST names, and no resolver needs to rename anything.
 * @param document the operation on `restSchema`
 * @throws {Error} if the operation selects a field that the schema does not have
 */
export function toGraphqlDocument(
  document: DocumentNode,
  restSchema: GraphQLSchema,
  schema: GraphQLSchema,
): DocumentNode {
  const typeInfo = new TypeInfo(restSchema);
  const leave = (node: FieldNode): FieldNode => {
    const { name: type = '' } = typeInfo.getParentType() ?? {};
    const parent = schema.getType(type);
    const fields = isObjectType(parent) ? Object.values(parent.getFields()) : [];
    const field = fields.find(({ name }) => name === node.name.value || snakeCase(name) === node.name.value);
    if (!field) throw new Error(`the schema has no field for ${type}.${node.name.value}`);
    return toGraphqlField(node, field);
  };
  return visit(document, visitWithTypeInfo(typeInfo, { Field: { leave } }));
}

/** Changes a value of an answer. */
type Mend = (value: unknown) => void;

/**
 * Makes what leaves out of an answer the members that REST does not have for each record; undefined if the answer has no
 * such members.
 */
function leaveOutOf(given: GraphQLOutputType): Mend | undefined {
  const type = getNullableType(given);
  if (isListType(type)) {
    const leaveOut = leaveOutOf(type.ofType);
    return leaveOut && ((list) => (list as unknown[] | null)?.forEach(leaveOut));
  }
  if (!isObjectType(type)) return undefined;
  const fields = Object.values(type.getFields());
  const names = fields.flatMap((field) => {
    const { onlyIfSet, leftOutIf = onlyIfSet && null } = factsOf(field);
    return leftOutIf === undefined ? [] : [[snakeCase(field.name), leftOutIf] as const];
  });
  const inner = fields.flatMap(({ name, type }) => {
    const leaveOut = leaveOutOf(type);
    return leaveOut ? [[snakeCase(name), leaveOut] as const] : [];
  });
  if (names.length + inner.length === 0) return undefined;
  return (value) => {
    const members = value as Record<string, unknown> | null | undefined;
    if (!members) return;
    // JSON leaves it out.
    for (const [name, value] of names) if (members[name] === value) members[name] = undefined;
    for (const [name, leaveOut] of inner) leaveOut(members[name]);
  };
}

/** Runs code, and then leaves out of its answer what REST does not have. */
const withoutUnset =
  (run: RunCompiled, leaveOut: Mend): RunCompiled =>
  async (...given) => {
    const result = await run(...given);
    for (const value of Object.values(result.data ?? {})) leaveOut(value);
    return result;
  };

/**
 * Compiles an operation of the service. A compiled call costs a fraction of the executor's time, because the executor
 * works out the resolution of each field on every call. A caller's document must never come here: the compiler
 * expands fragments without a bound. The compiler also writes into the document, so it gets a copy of its own.
 * @param type the type of the operation's root field
 * @throws {Error} if the operation cannot be compiled
 */
function compileOperation(
  { schema, document, operationName }: Operation,
  type: GraphQLOutputType,
): RunCompiled {
  const compiled = compileQuery(schema, parse(print(document)), operationName ?? '');
  const leaveOut = leaveOutOf(type);
  if (isCompiledQuery(compiled)) return leaveOut ? withoutUnset(compiled.query, leaveOut) : compiled.query;
  throw new Error(`the operation ${operationName} cannot be compiled`, { cause: compiled.errors });
}

/** Sofa's `execute` puts the operation here. */
interface Asked {
  operation?: Operation;
}

const sofaPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');

/** Sofa's configuration of the routes, by `Query.name` or `Mutation.name`. */
const sofaRoutes = (schema: GraphQLSchema, table: Routes) =>
  Object.fromEntries(
    Object.entries(table).map(([field, { method, path, created }]) => {
      const type = schema.getQueryType()?.getFields()[field] ? 'Query' : 'Mutation';
      return [`${type}.${field}`, { method, path: sofaPath(path), responseStatus: created ? 201 : 200 }];
    }),
  );

/**
 * Runs Sofa on the REST schema. Sofa makes the GraphQL operation of each route, and the OpenAPI description of all
 * routes. Keyward does not let Sofa read requests: Sofa drops nulls, lets the query string override the body, and
 * turns any word into a boolean. So Sofa gets only a request that Keyward makes for each route, without any text from
 * a caller.
 * @param graphqlSchema the schema of the operations
 * @param table the route of each root field
 */
export function createSofa(graphqlSchema: GraphQLSchema, table: Routes) {
  const schema = withRestValues(graphqlSchema);
  const restSchema = toRestSchema(schema);
  const router = useSofa({
    basePath,
    schema: restSchema,
    routes: sofaRoutes(schema, table),
    customScalars: {
      DateTime: { type: 'string', format: 'date-time' },
      JSON: {},
      JSONObject: { type: 'object', additionalProperties: true },
    },
    swaggerUI: { endpoint: false },
    execute: async ({ contextValue, ...operation }: ExecutionArgs) => {
      (contextValue as { asked: Asked }).asked.operation = operation;
      return { data: {} };
    },
  });

  const compiled = new WeakMap<DocumentNode, RunCompiled>();
  const operationOf = once(async ({ method, path, field }: BoundRoute): Promise<Operation> => {
    const asked: Asked = {};
    const url = `http://sofa${basePath}${path.replace(/\{\w+\}/g, '0')}`;
    await router.fetch(new Request(url, { method }), { asked });
    if (!asked.operation) throw new Error(`Sofa knows no operation for ${method} ${path}`);
    const { document, operationName } = asked.operation;
    const operation = {
      schema,
      document: toGraphqlDocument(document, restSchema, schema),
      operationName: operationName ?? null,
    };
    compiled.set(operation.document, compileOperation(operation, field.type));
    return operation;
  });

  return {
    /** The schema that the operations run on. */
    schema,
    table,
    /** The schema in REST's names; Sofa runs on it. */
    restSchema,
    /** Sofa's OpenAPI document; `createOpenApi` completes it. */
    document: router.openAPIDocument as unknown,
    /** The operation of a route, whose answer has REST names. The first call makes it; later calls reuse it. */
    operationOf,
    /** The compiled code of the routes' operations, by their documents. */
    compiled,
  };
}

/** See {@link createSofa}. */
export type Sofa = ReturnType<typeof createSofa>;
