import type { Registry } from '@prometheus-io/client';
import type { Plugin } from 'graphql-yoga';
import type { WithRecord } from '../request-record.ts';
import { createRequestSeries } from './request-series.ts';
import { createTokenChecks } from './token-checks.ts';

/**
 * Counts and times requests and checks of tokens. What a request is counted under is a route's template, a root field
 * of the schema and closed sets of codes: nothing that a caller can make up.
 */
export function useRequestMetrics(registry: Registry): Plugin<WithRecord, WithRecord> {
  const seriesOf = createRequestSeries(registry);
  const checkOf = createTokenChecks(registry);
  return {
    onResponse: ({ response: { status }, serverContext: { record } }) => {
      const { operation = 'none', route = 'none' } = record;
      const { requests, time } = seriesOf(operation, route, status);
      requests.count += 1;
      time.observe((performance.now() - record.startedAt) / 1000);
      const check = checkOf(record);
      if (check) check.count += 1;
    },
  };
}
