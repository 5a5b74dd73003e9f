import { collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { ConnectionPool } from '../../database/backend.ts';
import type { Middleware } from '../../http/exchange.ts';
import { readVersion } from '../version.ts';
import { measureRequests } from './measure-requests.ts';
import { observeKeySets, type WatchedIssuer } from './observe-key-sets.ts';
import { observeLog, type WatchedLog } from './observe-log.ts';
import { observePool } from './observe-pool.ts';
import { observeWal } from './observe-wal.ts';
import { observeWebhooks, type WatchedWebhooks } from './observe-webhooks.ts';

/** A database, as far as it is measured: what PostgreSQL has, or SQLite. */
export interface WatchedDatabase {
  readonly pool: ConnectionPool | undefined;
  readonly walSize: (() => number) | undefined;
}

/** What is measured of a process. */
export interface Metrics {
  readonly registry: Registry;
  /** Measures requests. */
  readonly requests: Middleware;
  /** Measures the verification keys of issuers, webhooks, and what there is to be measured of the database. */
  observe(trusted: readonly WatchedIssuer[], database: WatchedDatabase, webhooks: WatchedWebhooks): void;
}

/**
 * Begins to measure this process. What all services in Node.js have keeps the names that dashboards know.
 * @param output where its log goes
 */
export function createMetrics(output: WatchedLog): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  observeBuild(registry);
  observeLog(registry, output);
  return {
    registry,
    requests: measureRequests(registry),
    observe: (trusted, { pool, walSize }, webhooks) => {
      observeKeySets(registry, trusted);
      if (pool) observePool(registry, pool);
      observeWal(registry, walSize);
      observeWebhooks(registry, webhooks);
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
