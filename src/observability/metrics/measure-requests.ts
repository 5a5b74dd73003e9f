import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { Finisher, RequestRecord } from '../../http/exchange.ts';
import { reasonOf } from '../log.ts';

/** Upper bounds in seconds. A read takes half a millisecond; after ten seconds, no caller still waits. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The interface that a request used, by its route. */
const transportOf = (route: string): string => {
  if (route === '/graphql') return 'graphql';
  if (route === '/api/v1/keys/authorize') return 'forward-auth';
  return route.startsWith('/api/v1/') ? 'rest' : 'other';
};

/**
 * Counts and times requests, and counts token checks. The labels are route templates, root fields of the schema,
 * names from the configuration and fixed sets of codes. So a caller cannot create new label values.
 */
export function measureRequests(registry: Registry): Finisher {
  const registers = [registry];
  const requests = new Counter({
    name: 'keyward_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['transport', 'operation', 'route', 'status', 'reason'],
    registers,
  });
  const times = new Histogram({
    name: 'keyward_http_request_duration_seconds',
    help: 'Time from the arrival of a request to its response.',
    labelNames: ['transport', 'operation'],
    buckets,
    registers,
  });
  const tokenChecks = new Counter({
    name: 'keyward_token_checks_total',
    help: 'Accepted and refused access tokens, with the reason.',
    labelNames: ['outcome', 'reason'],
    registers,
  });
  const ofServers = new Counter({
    name: 'keyward_server_requests_total',
    help: 'Answered requests of servers that sign in with a secret, by the name in SERVER_CREDENTIALS.',
    labelNames: ['server', 'status'],
    registers,
  });
  return ({ record }, answer) => {
    const { operation = 'none', route = 'none', startedAt, server } = record;
    const transport = transportOf(route);
    const reason = reasonOf(record) ?? 'none';
    requests.inc({ transport, operation, route, status: answer.status, reason });
    times.observe({ transport, operation }, (performance.now() - startedAt) / 1000);
    const check = tokenCheckOf(record);
    if (check) tokenChecks.inc(check);
    if (server !== undefined) ofServers.inc({ server, status: answer.status });
    return answer;
  };
}

/** The outcome of a request's token check; undefined if no check took place. */
function tokenCheckOf({ token, failure }: RequestRecord) {
  if (token) return { outcome: 'accepted', reason: token };
  const reason = failure?.reason;
  return reason && aboutTokens.test(reason) ? { outcome: 'refused', reason } : undefined;
}

const aboutTokens = /^(token-|no-verification-keys$|verification-keys-awaited$)/;
