import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { Middleware, RequestRecord } from '../../http/exchange.ts';

/** Upper bounds in seconds: a read takes half a millisecond, and after ten seconds nobody waits any more. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The way in which a request came, by its route. */
const transportOf = (route: string): string => {
  if (route === '/graphql') return 'graphql';
  if (route === '/api/v1/keys/authorize') return 'forward-auth';
  return route.startsWith('/api/v1/') ? 'rest' : 'other';
};

/**
 * Counts and times requests and checks of tokens. What a request is counted under is a route's template, a root field
 * of the schema and closed sets of codes: nothing that a caller can make up.
 */
export function measureRequests(registry: Registry): Middleware {
  const registers = [registry];
  const requests = new Counter({
    name: 'keyward_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['transport', 'operation', 'route', 'status'],
    registers,
  });
  const times = new Histogram({
    name: 'keyward_http_request_duration_seconds',
    help: 'How long a request took from its arrival to its answer.',
    labelNames: ['transport', 'operation'],
    buckets,
    registers,
  });
  const tokenChecks = new Counter({
    name: 'keyward_token_checks_total',
    help: 'Access tokens that were accepted and refused, and how or why.',
    labelNames: ['outcome', 'reason'],
    registers,
  });
  return (next) => async (exchange) => {
    const response = await next(exchange);
    const { operation = 'none', route = 'none', startedAt } = exchange.record;
    const transport = transportOf(route);
    requests.inc({ transport, operation, route, status: response.status });
    times.observe({ transport, operation }, (performance.now() - startedAt) / 1000);
    const check = tokenCheckOf(exchange.record);
    if (check) tokenChecks.inc(check);
    return response;
  };
}

/** How the check of a request's token ended; undefined where there was none. */
function tokenCheckOf({ token, failure }: RequestRecord) {
  if (token) return { outcome: 'accepted', reason: token };
  const reason = failure?.reason;
  return reason && aboutTokens.test(reason) ? { outcome: 'refused', reason } : undefined;
}

const aboutTokens = /^(token-|no-verification-keys$|verification-keys-awaited$)/;
