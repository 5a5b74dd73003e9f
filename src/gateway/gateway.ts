import type { Logger } from 'pino';
import { assertedKeyOf } from '../api-keys/verify/asserted-key.ts';
import { organizationOfKey } from '../api-keys/verify/verify-api-key.ts';
import { mayBeApiKey, type Verification, verifySecret } from '../api-keys/verify/verify-secret.ts';
import { scopesIn } from '../auth/required-scopes.ts';
import { metadataPath, pointToMetadata, resourceMetadata } from '../auth/resource-metadata.ts';
import type { Scope } from '../auth/scopes.ts';
import { assertionKeySet, keySetPath, serverMetadata, serverMetadataPath } from '../auth/server-metadata.ts';
import type { EdgeConfig, Rates } from '../config/config.ts';
import { Db } from '../database/db.ts';
import { translateError } from '../database/failures.ts';
import { type ApiKeyReader, createApiKeyReader, usualKeyHeader } from '../door/api-key.ts';
import { type AuthorizeRequest, authorize } from '../door/authorize/authorize.ts';
import { authorizePath, refuseWithProblems } from '../door/authorize/problem.ts';
import { answerIntrospection } from '../door/introspection/answer-introspection.ts';
import { answerKeyItself } from '../door/key-itself/answer-key-itself.ts';
import { apiKeyItselfRecord } from '../door/key-itself/openapi.ts';
import { answerLeakReports, leakReportsPath } from '../door/leak-reports/answer-leak-reports.ts';
import { introspectionPath, refuseInOAuth, tokenPath } from '../door/oauth/errors.ts';
import {
  answerTokenExchange,
  type TokenExchangeOptions,
} from '../door/token-exchange/answer-token-exchange.ts';
import { answerGraphql } from '../graphql/answer-graphql.ts';
import { createSurround, type Pipeline, type Surround } from '../graphql/run-operation.ts';
import { cors } from '../http/cors.ts';
import {
  answerHeaders,
  beginExchange,
  compose,
  type Exchange,
  type Finisher,
  finishing,
  graphqlPath,
  type Handler,
  type Middleware,
  type RequestRecord,
  route,
  type Table,
} from '../http/exchange.ts';
import { forwarded } from '../http/forwarded.ts';
import type { Answering } from '../http/listener.ts';
import { guard, type Load } from '../http/load.ts';
import { withPublicPath } from '../http/public-path.ts';
import { createLimiters, quotaHeaders } from '../http/rate-limits/limiter.ts';
import { createKeyGuesses, limitAddress } from '../http/rate-limits/of-addresses.ts';
import type { SharedCounts } from '../http/rate-limits/shared-counts.ts';
import { describeError, logRequests } from '../observability/log.ts';
import type { ImportedKeys, OperationServices } from '../operations/context.ts';
import { showPages } from '../pages/show-pages.ts';
import { isPermission } from '../plans/permissions.ts';
import { answerRest } from '../rest/answer-rest.ts';
import { createRecordWriter } from '../rest/record-writer.ts';
import { basePath } from '../rest/routes.ts';
import { checkOwned } from './check-owned.ts';
import { createOperations } from './create-operations.ts';
import type { Edge, GatewayDependencies } from './dependencies.ts';
import { offeredOperations } from './offered-operations.ts';
import { otherOpenApi } from './other-openapi.ts';

/**
 * Makes the counters of requests and of tried API keys.
 * @param importedKeys knows the forms of imported keys: only what may be a key is looked up above a limit
 * @param shared the counts that other nodes share; undefined: this process counts alone
 */
export const createLimits = (
  { rates, exemptAddresses }: Pick<EdgeConfig, 'exemptAddresses'> & { readonly rates: Rates },
  importedKeys: ImportedKeys,
  shared: SharedCounts | undefined,
): Pick<Edge, 'limiters' | 'keyGuesses'> => ({
  limiters: createLimiters(rates, shared),
  keyGuesses:
    rates.address &&
    createKeyGuesses(rates.address, exemptAddresses, (secret) => mayBeApiKey(importedKeys, secret), shared),
});

/** The whole service. */
export interface Gateway extends Answering {
  /** Counts the requests in flight. */
  readonly load: Load;
}

/** Finishes refusals only. */
const onRefusal =
  (finish: Finisher): Finisher =>
  (exchange, answer) =>
    answer.status < 400 ? answer : finish(exchange, answer);

/** Makes the gateway: it passes each request through the middleware to the handler of its path. */
export function createGateway(dependencies: GatewayDependencies): Gateway {
  const { edge, logger, logsAddress, metrics, tracing, publicUrl, answerTimeout } = dependencies;
  const around: readonly (Middleware | false | undefined)[] = [
    edge.trustedProxies.length > 0 && forwarded(edge.trustedProxies),
    finishing([
      onRefusal(refuseWithProblems),
      onRefusal(refuseInOAuth),
      ...(edge.corsOrigins.length > 0 ? [cors(edge.corsOrigins)] : []),
      quotaHeaders,
      onRefusal(pointToMetadata(publicUrl)),
      answerHeaders(edge.hstsMaxAge),
      ...(edge.publicPath === '' ? [] : [withPublicPath(edge.publicPath)]),
      ...(metrics ? [metrics] : []),
      logRequests(logger, logsAddress),
    ]),
    tracing?.requests,
    guard(edge.load, translateError, dependencies.schemaState),
  ];
  const handle = compose(
    around.filter((middleware) => typeof middleware === 'function'),
    createTable(dependencies),
  );
  return {
    answer: (request, address) => handle(beginExchange(request, address, answerTimeout)),
    takesBody: (target) => !target.startsWith(authorizePath),
    load: edge.load,
  };
}

/**
 * Makes the verification of a key that a client sent without an access token.
 * @param count counts a request with a key, and throws if it exceeds the limit of the door
 */
const verifyAtDoor =
  (surround: Surround, count: ((keyId: string, exchange: Exchange) => void) | undefined) =>
  (request: AuthorizeRequest, exchange: Exchange): Promise<Verification> => {
    const admit = (keyId: number) => count?.(`${keyId}`, exchange);
    return verifySecret(surround(exchange), { ...request, address: exchange.address, cost: 1, admit });
  };

/**
 * Makes what tells a proxy the result of a verification.
 * @param services signs what it says, if anything does
 */
const forProxy =
  (verify: ReturnType<typeof verifyAtDoor>, services: OperationServices) =>
  async (request: AuthorizeRequest, exchange: Exchange) => {
    const { assertions } = services;
    const { reason, found, entitlement, limits } = await verify(request, exchange);
    const isValid = reason === null && found && entitlement;
    return {
      reason,
      keyId: found?.id,
      userId: found?.account,
      organization: found ? organizationOfKey(found) : null,
      plan: entitlement?.plan ?? null,
      isStale: found?.staleSince !== undefined,
      assertion:
        isValid && assertions ? await assertions.about(assertedKeyOf(found, entitlement, services)) : '',
      ...limits,
    };
  };

/** Makes the handler that passes each request to the handler of its path. */
function createTable(dependencies: GatewayDependencies): Handler {
  const { trusted, publicUrl, em, services, bodyLimit, edge, logger, tracing } = dependencies;
  const { schema, sofa } = offeredOperations(dependencies.operators);
  const scopes = scopesIn(schema);
  const { limiters, publicPath } = edge;
  const db = new Db(em);
  // Yoga's own plugin traces the statements of its operations.
  const operations = createOperations(
    dependencies,
    createSurround(services, () => db, logger, dependencies),
  );
  const issuers = trusted.map(({ config }) => config.issuer);
  const dbOf = (record: RequestRecord) => (tracing ? tracing.db(em, record) : db);
  const surround = createSurround(services, dbOf, logger, dependencies);
  const verify = verifyAtDoor(surround, limiters.apiKey);
  const keys = createApiKeyReader(edge.apiKeyHeader);
  const door = authorize(keys, forProxy(verify, services), isPermission, edge.keyGuesses);
  const rest = {
    sofa,
    checkOwned,
    issuer: trusted[0].config.issuer,
    settings: services.settings,
    publicPath,
    other: otherOpenApi(edge.apiKeyHeader, dependencies.leakReports !== undefined),
    bodyLimit,
  };
  const apis: Table = [
    ...wellKnown(publicPath, metadataPath, resourceMetadata(publicUrl, issuers, scopes)),
    ...forOAuth(dependencies, operations.pipeline, { keys, verify }),
    ...withoutToken(dependencies, keys, surround),
    [`${basePath}/`, answerRest(operations.pipeline, rest)],
    [graphqlPath, answerGraphql(operations.yoga, operations.findKnown, bodyLimit)],
  ];
  const others = route(apis, pagesOf(dependencies, scopes));
  return route([
    [authorizePath, door],
    [`${authorizePath}/`, door],
    ['/', limiters.address ? limitAddress(limiters.address, edge.exemptAddresses)(others) : others],
  ]);
}

/** The paths for clients that know OAuth, and nothing of this service. */
function forOAuth(
  { publicUrl, bodyLimit, edge, services }: GatewayDependencies,
  pipeline: Pipeline,
  door: Pick<TokenExchangeOptions, 'keys' | 'verify'>,
): Table {
  const { assertions } = services;
  const limits = { bodyLimit, guesses: edge.keyGuesses };
  const endpoints = {
    introspection: publicUrl + introspectionPath,
    token: assertions && publicUrl + tokenPath,
  };
  const table: Table = [
    ...wellKnown(edge.publicPath, serverMetadataPath, serverMetadata(publicUrl, endpoints)),
    [introspectionPath, answerIntrospection({ ...limits, pipeline, publicUrl })],
  ];
  if (!assertions) return table;
  return [
    ...table,
    [keySetPath, assertionKeySet(assertions.keySet)],
    [tokenPath, answerTokenExchange({ ...limits, ...door, services, assertions })],
  ];
}

/**
 * A well-known document: at its path, and where clients look for it if `PUBLIC_URL` has a path, which then follows
 * (RFC 8414, section 3.1; RFC 9728, section 3.1).
 */
const wellKnown = (publicPath: string, path: string, handler: Handler): Table =>
  [...new Set([path, path + publicPath])].map((each) => [each, handler]);

/** Makes the middleware of the pages' paths; undefined: there are no pages. */
const pagesOf = (dependencies: GatewayDependencies, scopes: readonly Scope[]) => {
  const { trusted, pages, services, edge, logger, publicUrl, operators, leakReports } = dependencies;
  const service = {
    ...services.settings,
    publicUrl,
    publicPath: edge.publicPath,
    apiKeyHeader: edge.apiKeyHeader ?? usualKeyHeader,
    has: {
      operators,
      'leak-reports': leakReports !== undefined,
      'bearer-keys': edge.apiKeyHeader === undefined,
    },
  };
  return pages && showPages(trusted[0].config, pages, service, scopes, reportProvider(logger));
};

/** The paths below the base path that need no access token, but an API key or a signature. */
function withoutToken(
  { operators, edge, leakReports, bodyLimit }: GatewayDependencies,
  keys: ApiKeyReader,
  surround: Surround,
): Table {
  const write = createRecordWriter(offeredOperations(operators).schema, apiKeyItselfRecord);
  const itself = answerKeyItself({ keys, surround, write, checkOwned, count: edge.limiters.apiKey });
  const table: Table = [[`${basePath}/keys/self`, itself]];
  if (!leakReports) return table;
  const leaks = answerLeakReports({ ...leakReports, surround, bodyLimit });
  return [...table, [leakReportsPath, leaks]];
}

const reportProvider = (logger: Logger) => (error: unknown) =>
  logger.warn(
    { error: describeError(error) },
    'could not read the sign-in address from the identity provider; will retry',
  );
