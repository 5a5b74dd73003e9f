import { collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { Plugin } from 'graphql-yoga';
import type { ConnectionPool } from '../../database/backend.ts';
import type { WithRecord } from '../request-record.ts';
import { readVersion } from '../version.ts';
import { observeKeySets, type WatchedIssuer } from './observe-key-sets.ts';
import { observePool } from './observe-pool.ts';
import { useRequestMetrics } from './use-request-metrics.ts';

/** What is measured of a process. */
export interface Metrics {
  readonly registry: Registry;
  /** Measures requests. */
  readonly plugin: Plugin<WithRecord, WithRecord>;
  /** Measures the verification keys of issuers, and the connections to PostgreSQL where that is the database. */
  observe(trusted: readonly WatchedIssuer[], pool: ConnectionPool | undefined): void;
}

/** Begins to measure this process. What all services in Node.js have keeps the names that dashboards know. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  observeBuild(registry);
  return {
    registry,
    plugin: useRequestMetrics(registry),
    observe: (trusted, pool) => {
      observeKeySets(registry, trusted);
      if (pool) observePool(registry, pool);
    },
  };
}

function observeBuild(registry: Registry): void {
  new Gauge({
    name: 'keyward_build_info',
    help: 'Always 1; its label is the version that runs.',
    labelNames: ['version'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version: readVersion() }, 1);
}
