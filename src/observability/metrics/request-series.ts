import { Histogram, type Registry } from '@prometheus-io/client';
import { createTallies, type Tally } from './tallies.ts';

/** Upper bounds in seconds: a read takes half a millisecond, and after ten seconds nobody waits any more. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What requests of one sort are counted and timed by. */
interface Series {
  readonly requests: Tally;
  readonly time: { observe(seconds: number): void };
}

/** The way in which a request came, by its route. */
const transportOf = (route: string): string => {
  if (route === '/graphql') return 'graphql';
  if (route === '/api/v1/keys/authorize') return 'forward-auth';
  return route.startsWith('/api/v1/') ? 'rest' : 'other';
};

/** What requests are counted under, their labels looked up once. */
export function createRequestSeries(registry: Registry) {
  const begin = createTallies({
    name: 'keyward_http_requests_total',
    help: 'Requests that were answered.',
    labelNames: ['transport', 'operation', 'route', 'status'],
    registers: [registry],
  });
  const times = new Histogram({
    name: 'keyward_http_request_duration_seconds',
    help: 'How long a request took from its arrival to its answer.',
    labelNames: ['transport', 'operation'],
    buckets,
    registers: [registry],
  });
  // Maps in maps: a key put together of the three would have to be hashed each time.
  const known = new Map<string, Map<string, Map<number, Series>>>();
  const add = (operation: string, route: string, status: number): Series => {
    const transport = transportOf(route);
    const requests = begin({ transport, operation, route, status: `${status}` });
    const series = { requests, time: times.labels({ transport, operation }) };
    const ofOperation = known.get(operation) ?? new Map<string, Map<number, Series>>();
    const ofRoute = ofOperation.get(route) ?? new Map<number, Series>();
    known.set(operation, ofOperation.set(route, ofRoute.set(status, series)));
    return series;
  };
  return (operation: string, route: string, status: number): Series =>
    known.get(operation)?.get(route)?.get(status) ?? add(operation, route, status);
}
