import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { Plugin } from 'graphql-yoga';
import type { RequestRecord, WithRecord } from '../request-record.ts';

/** Upper bounds in seconds: a read takes half a millisecond, and after ten seconds nobody waits any more. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The way in which a request came, by its route. */
const transportOf = (route: string | undefined): string => {
  if (route === '/graphql') return 'graphql';
  if (route === '/api/v1/keys/authorize') return 'forward-auth';
  return route?.startsWith('/api/v1/') ? 'rest' : 'other';
};

/** Makes something for each key once. */
const oncePerKey = <Made>(make: (...key: string[]) => Made) => {
  const made = new Map<string, Made>();
  return (key: string, ...parts: string[]): Made => {
    const found = made.get(key) ?? make(...parts);
    made.set(key, found);
    return found;
  };
};

const createMetrics = (registry: Registry) => ({
  requests: new Counter({
    name: 'keyward_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['transport', 'operation', 'route', 'status'],
    registers: [registry],
  }),
  durations: new Histogram({
    name: 'keyward_http_request_duration_seconds',
    help: 'How long a request took from its arrival to its answer.',
    labelNames: ['transport', 'operation'],
    buckets,
    registers: [registry],
  }),
  tokenChecks: new Counter({
    name: 'keyward_token_checks_total',
    help: 'Access tokens that were accepted and refused, and how or why.',
    labelNames: ['outcome', 'reason'],
    registers: [registry],
  }),
});

/**
 * Counts and times requests and checks of tokens. What a request is counted under is a route's template, a root field
 * of the schema and closed sets of codes: nothing that a caller can make up.
 */
export function useRequestMetrics(registry: Registry): Plugin<WithRecord, WithRecord> {
  const { requests, durations, tokenChecks } = createMetrics(registry);
  // With the labels looked up: they are the same for most requests.
  const seriesOf = oncePerKey((operation = 'none', route = 'none', status = '') => {
    const transport = transportOf(route);
    const counter = requests.labels({ transport, operation, route, status });
    const histogram = durations.labels({ transport, operation });
    return { counter, histogram };
  });
  const checksOf = oncePerKey((outcome = '', reason = '') => tokenChecks.labels({ outcome, reason }));

  return {
    onResponse: ({ response: { status }, serverContext: { record } }) => {
      const { operation = 'none', route = 'none' } = record;
      const series = seriesOf(`${operation} ${route} ${status}`, operation, route, `${status}`);
      series.counter.inc();
      series.histogram.observe((performance.now() - record.startedAt) / 1000);
      const refusal = refusalOf(record);
      if (record.token) checksOf(record.token, 'accepted', record.token).inc();
      else if (refusal) checksOf(refusal, 'refused', refusal).inc();
    },
  };
}

/** Why the token of a request was refused, or could not be checked; undefined where it was not. */
const refusalOf = ({ failure }: RequestRecord): string | undefined =>
  failure?.reason?.startsWith('token-') || failure?.reason === 'no-verification-keys'
    ? failure.reason
    : undefined;
