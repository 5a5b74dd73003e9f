import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { FetchAPI, Plugin, YogaServerInstance } from 'graphql-yoga';
import { requireScopes } from '../auth/access-token.ts';
import type { WithAccessToken } from '../auth/use-access-token.ts';
import { requiredScopesOf } from '../auth/use-required-scopes.ts';
import type { GatewayError } from '../errors.ts';
import { limitBody } from '../http/limit-body.ts';
import type { WithRecord } from '../observability/request-record.ts';
import { describeAnswer } from './answer.ts';
import type { WithPage } from './connections.ts';
import { createEndpoints, type Endpoint } from './endpoints.ts';
import { toErrorResponse } from './errors.ts';
import { createRouteMatcher, type RouteMatch } from './match-route.ts';
import type { OtherPaths } from './openapi.ts';
import { readInput } from './read-input.ts';
import { basePath, type Routes, routes } from './routes.ts';
import type { Sofa } from './sofa.ts';

type Yoga = YogaServerInstance<object, object>;
type ServerContext = WithRecord & WithAccessToken;
type Called = RouteMatch<Endpoint>;

/** The description of the REST side is a route like the others, but open to all. */
const openApiRoute = { method: 'GET', path: '/openapi.json' } as const;

const isEndpoint = (match: RouteMatch<Endpoint | typeof openApiRoute>): match is Called =>
  match.route !== openApiRoute;

/** Runs the operation behind a route, through the pipeline of Yoga's plugins. */
const createCall =
  (loadSofa: () => Promise<Sofa>) =>
  async (yoga: Yoga, match: Called, request: Request, serverContext: ServerContext) => {
    limitBody(request);
    const enveloped = yoga.getEnveloped(Object.assign(serverContext, { request }));
    const contextValue = (await enveloped.contextFactory()) as WithAccessToken & WithPage;
    requireScopes(requiredScopesOf(match.route.field), contextValue.accessToken);
    const variableValues = await readInput(request, match);
    const operation = await (await loadSofa()).operationOf(match.route);
    const result: ExecutionResult = await enveloped.execute({ ...operation, contextValue, variableValues });
    if (result.errors?.[0]) throw result.errors[0];
    return { value: result.data?.[match.field], variables: variableValues, pageInfo: contextValue.pageInfo };
  };

/**
 * Answers REST calls below `/api/v1` from the GraphQL schema. Sofa makes the operations; everything that can be
 * wrong with a call is looked at before one is run, in this order: route, size of the body, token, scopes, media type, input.
 * @param schema the GraphQL schema
 * @param issuer the identity provider, for the description
 * @param translate turns any error into a GatewayError
 * @param table which root field is which route
 * @param other what the description has beside them
 */
export function useRest(
  schema: GraphQLSchema,
  issuer: string,
  translate: (error: unknown) => GatewayError,
  table: Routes = routes,
  other: OtherPaths = {},
): Plugin<object, ServerContext> {
  const matchRoute = createRouteMatcher({ ...createEndpoints(schema, table), openApi: openApiRoute });
  // Loaded when it is first asked, so that a start need not wait for it.
  let sofa: Promise<Sofa> | undefined;
  const loadSofa = () => {
    sofa ??= import('./sofa.ts').then(({ createSofa }) => createSofa(schema, table));
    return sofa;
  };
  const describe = async () => {
    const { createOpenApi } = await import('./openapi.ts');
    const { schema: restSchema, document } = await loadSofa();
    return JSON.stringify(createOpenApi(restSchema, document, issuer, table, other));
  };
  const call = createCall(loadSofa);
  let openApi: Promise<string> | undefined;
  let yoga: Yoga;

  const answer = async (
    match: RouteMatch<Endpoint | typeof openApiRoute>,
    request: Request,
    serverContext: ServerContext,
    { Response }: FetchAPI,
  ) => {
    if (!isEndpoint(match)) {
      openApi ??= describe();
      return new Response(await openApi, { headers: { 'content-type': 'application/json' } });
    }
    const outcome = await call(yoga, match, request, serverContext);
    return new Response(JSON.stringify(outcome.value), describeAnswer(match.route, outcome));
  };

  return {
    onYogaInit: (payload) => {
      yoga = payload.yoga as unknown as Yoga;
    },
    onRequest: async ({ request, url: { pathname }, endResponse, serverContext, fetchAPI }) => {
      if (!pathname.startsWith(`${basePath}/`)) return;
      const { record } = serverContext;
      let match: RouteMatch<Endpoint | typeof openApiRoute> | undefined;
      try {
        match = matchRoute(request.method, pathname.slice(basePath.length));
        record.route = basePath + match.route.path;
        record.operation = match.field;
        endResponse(await answer(match, request, serverContext, fetchAPI));
      } catch (error) {
        record.failure = translate(error);
        const inputs = match && isEndpoint(match) ? match.route.inputs : [];
        endResponse(toErrorResponse(record.failure, inputs, fetchAPI));
      }
    },
  };
}
