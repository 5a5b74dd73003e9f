import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
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
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { useSofa } from 'sofa-api';
import { nodeTypeOf, restName, snakeCase, toRestSchema, withRestValues } from './rest-schema.ts';
import { basePath, type Route, type Routes } from './routes.ts';

/** The GraphQL operation that a route stands for. */
export type Operation = Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>;

/** Runs an operation as compiled code: root value, context, variables. */
export type RunCompiled = CompiledQuery['query'];

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });

const selectionOf = (document: DocumentNode): SelectionSetNode | undefined => {
  const [operation] = document.definitions;
  return operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet : undefined;
};

/** What REST needs of a connection whose nodes are selected. */
const connectionOf = (nodes: SelectionSetNode): SelectionSetNode | undefined =>
  selectionOf(parse(`{ edges { node ${print(nodes)} } pageInfo { hasNextPage endCursor } }`));

/** A field in REST's names as the field of the schema, with REST's name for an alias. */
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
 * An operation on the schema as REST has it, as one on the schema itself: what REST spells otherwise becomes an alias,
 * and a list the connection that it stands for. So its answer is in REST's names without a resolver between.
 * @param document the operation on `restSchema`
 * @throws {Error} where it asks for a field that the schema does not have
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

/**
 * Compiles an operation of ours: a call then costs a fraction of what the executor needs, which works out anew each
 * time how each field is resolved. Never for a caller's document: compiling expands fragments without a bound, and
 * writes into the document. So it is given a copy that nothing else sees.
 * @throws {Error} where the operation cannot be compiled
 */
function compileOperation({ schema, document, operationName }: Operation): RunCompiled {
  const compiled = compileQuery(schema, parse(print(document)), operationName ?? '');
  if (isCompiledQuery(compiled)) return compiled.query;
  throw new Error(`the operation ${operationName} cannot be compiled`, { cause: compiled.errors });
}

/** Where Sofa leaves the operation that it has made. */
interface Asked {
  operation?: Operation;
}

const sofaPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');

/** Sofa's configuration, by root type and field. */
const sofaRoutes = (schema: GraphQLSchema, table: Routes) =>
  Object.fromEntries(
    Object.entries(table).map(([field, { method, path, created }]) => {
      const type = schema.getQueryType()?.getFields()[field] ? 'Query' : 'Mutation';
      return [`${type}.${field}`, { method, path: sofaPath(path), responseStatus: created ? 201 : 200 }];
    }),
  );

/**
 * Sofa on the schema as REST spells it. It makes the operation of a route, and the description of all of them. What it
 * reads of a request is not used: it drops nulls, lets the query string override the body, and turns any word into a
 * boolean. So it is asked for an operation and nothing else, without a word of a caller's.
 * @param graphqlSchema the schema whose operations they are
 * @param table which root field is which route
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
      JSONObject: { type: 'object' },
    },
    swaggerUI: { endpoint: false },
    execute: async ({ contextValue, ...operation }: ExecutionArgs) => {
      (contextValue as { asked: Asked }).asked.operation = operation;
      return { data: {} };
    },
  });

  const compiled = new WeakMap<DocumentNode, RunCompiled>();
  const makeOperation = async ({ method, path }: Route): Promise<Operation> => {
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
    compiled.set(operation.document, compileOperation(operation));
    return operation;
  };

  return {
    /** The schema that the operations run on. */
    schema,
    table,
    /** The schema in REST's names, as Sofa was given it. */
    restSchema,
    /** What Sofa says of it: OpenAPI, to be completed. */
    document: router.openAPIDocument as unknown,
    /** The operation behind a route, made anew; its answer is in REST's names. */
    makeOperation,
    /** How the operations of routes run, by their documents: of any other document there is nothing. */
    compiled,
  };
}

/** See {@link createSofa}. */
export type Sofa = ReturnType<typeof createSofa>;
