import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { FetchAPI, Plugin, YogaServerInstance } from 'graphql-yoga';
import { requireScopes } from '../auth/access-token.ts';
import type { WithAccessToken } from '../auth/use-access-token.ts';
import { requiredScopesOf } from '../auth/use-required-scopes.ts';
import type { GatewayError } from '../errors.ts';
import { limitBody } from '../http/limit-body.ts';
import type { WithRecord } from '../observability/request-record.ts';
import { toErrorResponse } from './errors.ts';
import { createRouteMatcher, type RouteMatch } from './match-route.ts';
import { createOpenApi } from './openapi.ts';
import { readInput } from './read-input.ts';
import { basePath, routes } from './routes.ts';
import { createSofa } from './sofa.ts';

// A new object each time: Yoga's Response writes into the one that it is given.
const json = () => ({ 'content-type': 'application/json' });

type Yoga = YogaServerInstance<object, object>;
type ServerContext = WithRecord & WithAccessToken;

/** The description of the REST side is a route like the others, but open to all. */
const openApiRoute = { openApi: { method: 'GET', path: '/openapi.json' } } as const;

/**
 * Answers REST calls below `/api/v1` from the GraphQL schema. Sofa makes the operations; everything that can be
 * wrong with a call is looked at before one is run, in this order: route, size of the body, token, scopes, media type, input.
 * @param schema the GraphQL schema
 * @param issuer the identity provider, for the description
 * @param translate turns any error into a GatewayError
 */
export function useRest(
  schema: GraphQLSchema,
  issuer: string,
  translate: (error: unknown) => GatewayError,
): Plugin<object, ServerContext> {
  const matchRoute = createRouteMatcher({ ...routes, ...openApiRoute });
  const sofa = createSofa(schema);
  let openApi: string | undefined;
  const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
  let yoga: Yoga;

  const call = async (
    request: Request,
    match: RouteMatch,
    serverContext: ServerContext,
    fetchAPI: FetchAPI,
  ) => {
    const field = fields[match.field];
    if (!field) {
      openApi ??= JSON.stringify(createOpenApi(sofa.schema, sofa.document, issuer));
      return new fetchAPI.Response(openApi, { headers: json() });
    }
    limitBody(request);
    const enveloped = yoga.getEnveloped(Object.assign(serverContext, { request }));
    const contextValue = (await enveloped.contextFactory()) as WithAccessToken;
    requireScopes(requiredScopesOf(field), contextValue.accessToken);
    const variableValues = await readInput(request, match, field);
    const operation = await sofa.operationOf(match.route);
    const result: ExecutionResult = await enveloped.execute({ ...operation, contextValue, variableValues });
    if (result.errors?.[0]) throw result.errors[0];
    return new fetchAPI.Response(JSON.stringify(result.data?.[match.field]), { headers: json() });
  };

  return {
    onYogaInit: (payload) => {
      yoga = payload.yoga as unknown as Yoga;
    },
    onRequest: async ({ request, url: { pathname }, endResponse, serverContext, fetchAPI }) => {
      if (!pathname.startsWith(`${basePath}/`)) return;
      const { record } = serverContext;
      let match: RouteMatch | undefined;
      try {
        match = matchRoute(request.method, pathname.slice(basePath.length));
        record.route = basePath + match.route.path;
        record.operation = match.field;
        endResponse(await call(request, match, serverContext, fetchAPI));
      } catch (error) {
        record.failure = translate(error);
        endResponse(toErrorResponse(record.failure, match, fetchAPI));
      }
    },
  };
}
