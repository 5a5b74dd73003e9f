import type { ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { useSofa } from 'sofa-api';
import { toRestSchema } from './names.ts';
import { basePath, type Route, routes } from './routes.ts';

/** Runs the operation that Sofa has made of a root field, with the caller's context and decoded variables. */
export type Execute = (args: ExecutionArgs) => Promise<ExecutionResult>;

interface Call {
  execute: Execute;
  result?: ExecutionResult;
}

const sofaPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');

/** Sofa's configuration, by root type and field. */
const sofaRoutes = (schema: GraphQLSchema) =>
  Object.fromEntries(
    Object.entries(routes).map(([field, { method, path }]) => {
      const type = schema.getQueryType()?.getFields()[field] ? 'Query' : 'Mutation';
      return [`${type}.${field}`, { method, path: sofaPath(path) }];
    }),
  );

/**
 * Sofa on the schema as REST spells it. What it reads of a request is not used (it drops nulls, lets the query string
 * override the body, and turns any word into a boolean), so it is given none of it: only which route was called.
 */
export function createSofa(schema: GraphQLSchema) {
  const restSchema = toRestSchema(schema);
  const router = useSofa({
    basePath,
    schema: restSchema,
    routes: sofaRoutes(schema),
    customScalars: { DateTime: { type: 'string', format: 'date-time' } },
    swaggerUI: { endpoint: false },
    execute: (async (args: ExecutionArgs) => {
      const { call } = args.contextValue as { call: Call };
      call.result = await call.execute(args);
      return call.result;
    }) as never,
  });

  /**
   * Runs the operation behind a route.
   * @throws the first error of the operation
   */
  const run = async ({ method, path }: Route, execute: Execute, { Request }: FetchAPI): Promise<Response> => {
    const call: Call = { execute };
    const url = `http://sofa${basePath}${path.replace(/\{\w+\}/g, '0')}`;
    const response = await router.fetch(new Request(url, { method }), { call });
    const error = call.result?.errors?.[0];
    if (error) throw error;
    if (!response.ok) throw new Error(`Sofa answered ${response.status} for ${method} ${path}`);
    return response;
  };

  return { run, schema: restSchema, document: router.openAPIDocument as unknown };
}
