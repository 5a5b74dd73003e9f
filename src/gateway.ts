import { createYoga, type FetchAPI } from 'graphql-yoga';
import { translateError } from './database/translate-error.ts';
import { createPlugins, type GatewayDependencies } from './gateway-plugins.ts';
import { createMaskError } from './graphql/mask-error.ts';
import type { Load } from './http/load.ts';
import { type RequestSource, runRequestHooks } from './http/request-hooks.ts';
import { schema } from './schema.ts';

/** GraphQL and REST as a handler of fetch requests. */
export interface Gateway {
  /** The classes that it knows requests and answers by. */
  readonly fetchAPI: FetchAPI;
  /** Answers a request; what it throws is a fault of this service. */
  fetch(request: Request, source?: RequestSource): Promise<Response>;
  /** Counts the requests in flight. */
  readonly load: Load;
}

/** Makes the gateway: Yoga, and the plugins in their order. */
export function createGateway(dependencies: GatewayDependencies): Gateway {
  const plugins = createPlugins(dependencies);
  let answerGraphql: (request: Request, serverContext: never) => Response | Promise<Response>;
  const { fetchAPI } = createYoga({
    schema,
    landingPage: false,
    graphiql: false,
    cors: false,
    multipart: false,
    // `useGraphqlEndpoint` and `useRest` bound bodies; Yoga's own way pipes each through a transform stream.
    maxRequestBodySize: false,
    // `useKnownDocuments` keeps documents, within a bound of bytes.
    parserAndValidationCache: false,
    logging: false,
    maskedErrors: { maskError: createMaskError(translateError), errorMessage: 'Internal Server Error' },
    plugins: [
      ...plugins.map(({ onRequest, onResponse, ...ofOperations }) => ofOperations),
      {
        onYogaInit: ({ yoga }) => {
          answerGraphql = yoga.handle;
        },
      },
    ],
  });
  // Not Yoga's own hooks of requests: its health check and its endpoint go by how a URL ends.
  const run = runRequestHooks(plugins, fetchAPI, (request, context) =>
    answerGraphql(request, context as never),
  );
  const { load } = dependencies.edge;
  const fetch: Gateway['fetch'] = async (request, { address } = { address: null }) => {
    load.inFlight += 1;
    try {
      return await run(request, { address });
    } finally {
      load.inFlight -= 1;
    }
  };
  return { fetchAPI, fetch, load };
}
