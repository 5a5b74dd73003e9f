import type { WithAccessToken } from '../auth/caller.ts';
import { type ForWhom, requireRole, requireScopes, scopesRequiredOf } from '../auth/required-scopes.ts';
import type { Page } from '../database/page.ts';
import type { Pipeline } from '../graphql/run-operation.ts';
import { answerCompressible, compressible } from '../http/compressible.ts';
import {
  type Answer,
  type AnswerHeaders,
  type Exchange,
  entityTagOf,
  type Handler,
} from '../http/exchange.ts';
import { checkBody, conditionsOf, defaultBodyLimit } from '../http/read-request.ts';
import { once } from '../once.ts';
import type { OperationContext } from '../operations/context.ts';
import { type BoundRoute, bindRoutes } from './bound-routes.ts';
import { assertNoTag, type CheckOwned, createPrecondition, isKnown } from './conditions.ts';
import { createOpenApi, type Described } from './openapi.ts';
import { createOpenApi30 } from './openapi-3.0.ts';
import { inRestNames, readInput } from './read-input.ts';
import { basePath, createRouteMatcher, type Route, type RouteMatch, toReference } from './routes.ts';
import type { Sofa } from './sofa.ts';
import { type Answered, asksForLines, createStreams } from './stream-pages.ts';

/** The options of the REST side. */
export interface RestOptions extends Described {
  /** Sofa, made from the GraphQL schema and the table of routes. */
  readonly sofa: Sofa;
  readonly checkOwned: CheckOwned;
  /** The size limit of a request body, in bytes. */
  readonly bodyLimit?: number;
}

/** A route of an OpenAPI document. It is like the others, but needs no access token. */
interface DescriptionRoute extends Route {
  /** Makes the document from the one in OpenAPI 3.1. */
  readonly describe: (document: ReturnType<typeof createOpenApi>) => object | Promise<object>;
}

const descriptionRoutes: Readonly<Record<string, DescriptionRoute>> = {
  openApi: { method: 'GET', path: '/openapi.json', describe: (document) => document },
  openApi30: { method: 'GET', path: '/openapi-3.0.json', describe: createOpenApi30 },
};

/** Returns the document of a description's route. The first call makes it; later calls reuse it. */
const keepDescriptions = (options: RestOptions) =>
  once(async ({ describe }: DescriptionRoute) =>
    compressible(Buffer.from(JSON.stringify(await describe(createOpenApi(options.sofa, options))))),
  );

/** The result of a REST call. */
interface Outcome extends Answered {
  /** The input of the call, by REST name. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The value that an operation answers. For a connection: its nodes, and the page information. */
function readAnswer(value: unknown, { isPage }: BoundRoute): Answered {
  if (!isPage) return { value, pageInfo: undefined };
  const { edges, pageInfo } = value as Page<unknown>;
  return { value: edges.map(({ node }) => node), pageInfo };
}

/** The `Link` header field to the next page (RFC 8288): the same call with another cursor. */
const nextPage = (route: BoundRoute, variables: Outcome['variables'], cursor: string): string => {
  const query = new URLSearchParams();
  for (const { name, in: place } of route.inputs) {
    if (place === 'query' && name in variables) query.set(name, String(variables[name]));
  }
  // The new cursor replaces an old one and always stands last.
  query.delete('cursor');
  query.append('cursor', cursor);
  return `<${toReference(route.path, variables)}?${query}>; rel="next"`;
};

/**
 * The status code and the header fields of a route's answer.
 * @param tag the entity tag of the representation; undefined if the answer is no readable resource
 */
function describeAnswer(route: BoundRoute, { value, variables, pageInfo }: Outcome, tag?: string) {
  const headers: AnswerHeaders = { 'content-type': 'application/json' };
  if (tag !== undefined) headers['etag'] = tag;
  if (route.created) headers['location'] = toReference(route.created, value as Record<string, unknown>);
  if (pageInfo?.hasNextPage && typeof pageInfo.endCursor === 'string')
    headers['link'] = nextPage(route, variables, pageInfo.endCursor);
  return { status: route.created ? 201 : 200, headers };
}

/**
 * Lets a caller pass only with all required scopes, and for an organisation with a role that allows the operation.
 * @throws {GatewayError} `UNAUTHENTICATED`; `FORBIDDEN`; `BAD_USER_INPUT` if nobody can act for another account there
 */
function authorize({ field, method }: BoundRoute, context: WithAccessToken & ForWhom): void {
  requireScopes(scopesRequiredOf(field, context.accessToken, context), context.accessToken);
  requireRole(context, method !== 'GET');
}

/**
 * Makes the handler of REST calls below `/api/v1`. The handler checks each call in this order: route, size of the
 * body, access token, scopes, media type, input.
 * @param pipeline runs the operations
 */
export function answerRest(pipeline: Pipeline, options: RestOptions): Handler {
  const { sofa, checkOwned, bodyLimit = defaultBodyLimit } = options;
  const matchRoute = createRouteMatcher<BoundRoute | DescriptionRoute>({
    ...bindRoutes(sofa.schema, sofa.table),
    ...descriptionRoutes,
  });
  const preconditionOf = createPrecondition(sofa, checkOwned);
  const descriptionOf = keepDescriptions(options);
  const answerLines = createStreams({ pipeline, sofa, readAnswer });

  const describe = async (route: DescriptionRoute, exchange: Exchange): Promise<Answer> =>
    answerCompressible(await descriptionOf(route), exchange, { 'content-type': 'application/json' });

  /** Makes sure that the caller may call, and reads the input. */
  const enter = async (route: BoundRoute, { parameters }: RouteMatch, exchange: Exchange) => {
    checkBody(exchange, bodyLimit);
    await pipeline.enter(Object.assign(exchange, { wholeLists: true }));
    // The plugins have added what operations need.
    const contextValue = exchange as Exchange & WithAccessToken & OperationContext;
    authorize(route, contextValue);
    return { contextValue, variables: readInput(exchange, route, parameters) };
  };

  const call = async (route: BoundRoute, match: RouteMatch, exchange: Exchange): Promise<Answer> => {
    const { contextValue, variables } = await enter(route, match, exchange);
    const conditions = conditionsOf(exchange.headers);
    if (conditions && route.resource?.isPage) assertNoTag(conditions, route);
    else if (conditions)
      Object.assign(contextValue, { precondition: preconditionOf(route, variables, conditions) });
    const operation = await sofa.operationOf(route);
    const result = await pipeline.execute({ ...operation, contextValue, variableValues: variables });
    if (result.errors?.[0]) throw inRestNames(result.errors[0], route.inputs);
    const outcome = { variables, ...readAnswer(result.data?.[match.field], route) };
    const body = JSON.stringify(outcome.value);
    const tag = route.hasTag ? entityTagOf(body) : undefined;
    const answer = describeAnswer(route, outcome, tag);
    if (route.method === 'GET' && tag && conditions && isKnown(conditions, tag))
      return { ...answer, status: 304, body: '' };
    return { ...answer, body };
  };

  return (exchange) => {
    const { method, path, record } = exchange;
    const match = matchRoute(method, path.slice(basePath.length));
    const { route } = match;
    record.route = basePath + route.path;
    record.operation = match.field;
    if ('describe' in route) return describe(route, exchange);
    if (!(route.streams && asksForLines(exchange.headers))) return call(route, match, exchange);
    return enter(route, match, exchange).then((called) => answerLines(route, match.field, called));
  };
}
