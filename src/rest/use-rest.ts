import type { Plugin } from 'graphql-yoga';
import type { GatewayError } from '../errors.ts';
import { defaultBodyLimit } from '../http/limit-body.ts';
import type { RequestPayload } from '../http/request-hooks.ts';
import { describeAnswer } from './answer.ts';
import { call, type Pipeline, type ServerContext } from './call.ts';
import { createEndpoints, type Endpoint } from './endpoints.ts';
import { toErrorResponse } from './errors.ts';
import { createRouteMatcher, type RouteMatch } from './match-route.ts';
import { createOpenApi, type OtherPaths } from './openapi.ts';
import { basePath } from './routes.ts';
import type { Sofa } from './sofa.ts';

/** The description of the REST side is a route like the others, but open to all. */
const openApiRoute = { method: 'GET', path: '/openapi.json' } as const;

type Match = RouteMatch<Endpoint | typeof openApiRoute>;

const isEndpoint = (match: Match): match is RouteMatch<Endpoint> => match.route !== openApiRoute;

/**
 * Answers REST calls below `/api/v1` from the GraphQL schema. Sofa makes the operations; the order in which a call is
 * looked at is that of `call`, after its route.
 * @param sofa made of the GraphQL schema and of the routes
 * @param issuer the identity provider, for the description
 * @param translate turns any error into a GatewayError
 * @param other what the description has beside them
 * @param bodyLimit the most bytes of a body
 */
export function useRest(
  sofa: Sofa,
  issuer: string,
  translate: (error: unknown) => GatewayError,
  other: OtherPaths = {},
  bodyLimit = defaultBodyLimit,
): Plugin<object, ServerContext> {
  const matchRoute = createRouteMatcher({
    ...createEndpoints(sofa.schema, sofa.table),
    openApi: openApiRoute,
  });
  let description: string | undefined;
  const describe = () => {
    description ??= JSON.stringify(createOpenApi(sofa, issuer, other));
    return description;
  };
  let pipeline: Pipeline;

  const answer = async (
    match: Match,
    { request, serverContext, fetchAPI }: RequestPayload<ServerContext>,
  ) => {
    if (!isEndpoint(match))
      return new fetchAPI.Response(describe(), { headers: { 'content-type': 'application/json' } });
    const outcome = await call(pipeline, sofa, match, request, serverContext, bodyLimit);
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
