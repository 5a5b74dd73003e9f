import type { GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { GatewayError } from '../errors.ts';
import { defaultBodyLimit } from '../http/limit-body.ts';
import type { RequestPayload } from '../http/request-hooks.ts';
import { describeAnswer } from './answer.ts';
import { call, type Pipeline, type ServerContext } from './call.ts';
import { createEndpoints, type Endpoint } from './endpoints.ts';
import { toErrorResponse } from './errors.ts';
import { createRouteMatcher, type RouteMatch } from './match-route.ts';
import type { OtherPaths } from './openapi.ts';
import { basePath, type Routes, routes } from './routes.ts';
import type { Sofa } from './sofa.ts';

/** The description of the REST side is a route like the others, but open to all. */
const openApiRoute = { method: 'GET', path: '/openapi.json' } as const;

type Match = RouteMatch<Endpoint | typeof openApiRoute>;

const isEndpoint = (match: Match): match is RouteMatch<Endpoint> => match.route !== openApiRoute;

/**
 * Answers REST calls below `/api/v1` from the GraphQL schema. Sofa makes the operations; the order in which a call is
 * looked at is that of `call`, after its route.
 * @param schema the GraphQL schema
 * @param issuer the identity provider, for the description
 * @param translate turns any error into a GatewayError
 * @param table which root field is which route
 * @param other what the description has beside them
 * @param bodyLimit the most bytes of a body
 */
export function useRest(
  schema: GraphQLSchema,
  issuer: string,
  translate: (error: unknown) => GatewayError,
  table: Routes = routes,
  other: OtherPaths = {},
  bodyLimit = defaultBodyLimit,
): Plugin<object, ServerContext> {
  const matchRoute = createRouteMatcher({ ...createEndpoints(schema, table), openApi: openApiRoute });
  // Loaded when it is first asked, so that a start need not wait for it.
  const loadSofa = once<Sofa>(async () => (await import('./sofa.ts')).createSofa(schema, table));
  const loadOpenApi = once(async () => {
    const { createOpenApi } = await import('./openapi.ts');
    const { schema: restSchema, document } = await loadSofa();
    return JSON.stringify(createOpenApi(restSchema, document, issuer, table, other));
  });
  let pipeline: Pipeline;

  const answer = async (
    match: Match,
    { request, serverContext, fetchAPI }: RequestPayload<ServerContext>,
  ) => {
    if (!isEndpoint(match))
      return new fetchAPI.Response(await loadOpenApi(), { headers: { 'content-type': 'application/json' } });
    const outcome = await call(pipeline, loadSofa, match, request, serverContext, bodyLimit);
    return new fetchAPI.Response(JSON.stringify(outcome.value), describeAnswer(match.route, outcome));
  };

  const respond = async (payload: RequestPayload<ServerContext>): Promise<void> => {
    const { request, url, endResponse, fetchAPI } = payload;
    const { record } = payload.serverContext;
    let match: Match | undefined;
    try {
      match = matchRoute(request.method, url.pathname.slice(basePath.length));
      record.route = basePath + match.route.path;
      record.operation = match.field;
      endResponse(await answer(match, payload));
    } catch (error) {
      record.failure = translate(error);
      const inputs = match && isEndpoint(match) ? match.route.inputs : [];
      endResponse(toErrorResponse(record.failure, inputs, fetchAPI));
    }
  };

  return {
    onYogaInit: ({ yoga }) => {
      pipeline = yoga;
    },
    onRequest: (payload) => (payload.url.pathname.startsWith(`${basePath}/`) ? respond(payload) : undefined),
  };
}

/** Runs a task when its result is first asked for, and no second time. */
function once<Result>(task: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined;
  return () => {
    result ??= task();
    return result;
  };
}
