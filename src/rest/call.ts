import type { ExecutionResult } from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import { requireScopes } from '../auth/access-token.ts';
import type { WithAccessToken } from '../auth/use-access-token.ts';
import { requiredScopesOf } from '../auth/use-required-scopes.ts';
import { limitBody } from '../http/limit-body.ts';
import type { WithRecord } from '../observability/request-record.ts';
import type { Outcome } from './answer.ts';
import type { Connection } from './connections.ts';
import type { Endpoint } from './endpoints.ts';
import type { RouteMatch } from './match-route.ts';
import { readInput } from './read-input.ts';
import type { Sofa } from './sofa.ts';

/** What a REST call needs to find in the server context. */
export type ServerContext = WithRecord & WithAccessToken;

/** The part of Yoga by which an operation runs through the hooks of its plugins. */
export type Pipeline = Pick<YogaServerInstance<object, object>, 'getEnveloped'>;

/**
 * Runs the operation behind a route. Everything that can be wrong with a call is looked at before, in this order: size
 * of the body, token, scopes, media type, input.
 * @param bodyLimit the most bytes of a body
 * @throws {GatewayError} for each of them; what the operation throws
 */
export async function call(
  pipeline: Pipeline,
  { operationOf }: Sofa,
  match: RouteMatch<Endpoint>,
  request: Request,
  serverContext: ServerContext,
  bodyLimit: number,
): Promise<Outcome> {
  limitBody(request, bodyLimit);
  const enveloped = pipeline.getEnveloped(Object.assign(serverContext, { request }));
  const contextValue = (await enveloped.contextFactory()) as WithAccessToken;
  requireScopes(requiredScopesOf(match.route.field), contextValue.accessToken);
  const variables = await readInput(request, match);
  const operation = await operationOf(match.route);
  const execution = { ...operation, contextValue, variableValues: variables };
  const result: ExecutionResult = await enveloped.execute(execution);
  if (result.errors?.[0]) throw result.errors[0];
  return { variables, ...read(result.data?.[match.field], match.route) };
}

/** What an operation answers: of a connection, the nodes and their page. */
const read = (value: unknown, { isPage }: Endpoint): Omit<Outcome, 'variables'> => {
  if (!isPage) return { value, pageInfo: undefined };
  const { edges, pageInfo } = value as Connection;
  return { value: edges.map(({ node }) => node), pageInfo };
};
