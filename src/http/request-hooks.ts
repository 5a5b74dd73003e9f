import type { FetchAPI, Plugin } from 'graphql-yoga';

// biome-ignore lint/suspicious/noExplicitAny: each plugin names for itself what it leaves in the context
export type AnyPlugin = Plugin<any, any>;

/** What a hook of requests is given. */
export type RequestPayload<Context> = Parameters<
  NonNullable<Plugin<object, Context & object>['onRequest']>
>[0];

/** Where a request came from. */
export interface RequestSource {
  /** The IP address of the peer; null where it is not known. */
  readonly address: string | null;
}

/** Answers a request; the context is what hooks and handler share of it. */
type Handle = (request: Request, serverContext: RequestSource) => Response | Promise<Response>;

/** The path of a request's URL, which is absolute and has no fragment. */
const pathOf = (url: string): string => {
  const path = url.indexOf('/', url.indexOf('//') + 2);
  const query = url.indexOf('?', path);
  return url.slice(path, query < 0 ? undefined : query);
};

/** A request on its way, as its hooks see it. */
class Exchange {
  request: Request;
  response: Response | undefined;
  readonly url: Pick<URL, 'pathname'>;
  readonly serverContext: RequestSource;
  readonly fetchAPI: FetchAPI;

  constructor(request: Request, serverContext: RequestSource, fetchAPI: FetchAPI) {
    this.request = request;
    this.url = { pathname: pathOf(request.url) };
    this.serverContext = serverContext;
    this.fetchAPI = fetchAPI;
  }

  readonly setRequest = (request: Request): void => {
    this.request = request;
  };
  readonly endResponse = (response: Response): void => {
    this.response = response;
  };
  readonly setResponse = this.endResponse;
}

// biome-ignore lint/suspicious/noExplicitAny: what Yoga's adapter hands to hooks has members that none of them uses
type Hook = (exchange: any) => void | Promise<void>;

/**
 * Runs plugins' hooks of requests and responses around a handler, in their order; a hook that ends a request is the
 * last that is asked. Yoga's server adapter does the same with a dozen objects and closures for each hook, a fifth of
 * what a REST call costs.
 */
export function runRequestHooks(
  plugins: readonly AnyPlugin[],
  fetchAPI: FetchAPI,
  handle: Handle,
): (request: Request, serverContext: RequestSource) => Promise<Response> {
  const requestHooks = plugins.flatMap(({ onRequest }) => (onRequest as Hook | undefined) ?? []);
  const responseHooks = plugins.flatMap(({ onResponse }) => (onResponse as Hook | undefined) ?? []);

  return async (request, serverContext) => {
    const exchange = new Exchange(request, serverContext, fetchAPI);
    for (const hook of requestHooks) {
      const pending = hook(exchange);
      if (pending) await pending;
      if (exchange.response) break;
    }
    const response = exchange.response ?? (await handle(exchange.request, serverContext));
    exchange.response = response;
    for (const hook of responseHooks) await hook(exchange);
    return exchange.response;
  };
}
