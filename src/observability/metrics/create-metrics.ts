import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { ConnectionPool } from '../../database/backend.ts';
import type { Middleware } from '../../http/exchange.ts';
import { readVersion } from '../version.ts';
import { measureRequests } from './measure-requests.ts';

/** Where the log goes, as far as it is watched. */
export interface WatchedLog {
  readonly dropped: number;
}

/** An issuer, as far as it is watched: its keys, and how often they were read or could not be. */
export interface WatchedIssuer {
  readonly config: { readonly issuer: string };
  readonly keys: {
    readonly current: { readonly size: number } | undefined;
    readonly refreshes: { readonly success: number; readonly failure: number; readonly unusable: number };
  };
}

/** A database, as far as it is measured: what PostgreSQL has, or SQLite. */
export interface WatchedDatabase {
  readonly pool: ConnectionPool | undefined;
  readonly walSize: (() => number) | undefined;
}

/** Webhooks, as far as they are watched. */
export interface WatchedWebhooks {
  readonly counts: Readonly<Record<'delivered' | 'failed' | 'parked', number>>;
  readonly waiting: { readonly count: number; readonly since: Date | undefined };
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

/** Shows how many lines of the log were dropped. */
function observeLog(registry: Registry, output: WatchedLog): void {
  new Counter({
    name: 'keyward_log_lines_dropped_total',
    help: 'Lines of the log that were dropped, as it could not be written.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(output.dropped);
    },
  });
}

/** Shows how many verification keys of each issuer there are, and how often they were read. */
function observeKeySets(registry: Registry, trusted: readonly WatchedIssuer[]): void {
  new Gauge({
    name: 'keyward_verification_keys',
    help: "An issuer's verification keys that can be used.",
    labelNames: ['issuer'],
    registers: [registry],
    // Of several workers, the one that has the fewest.
    aggregator: 'min',
    collect() {
      for (const { config, keys } of trusted) this.set({ issuer: config.issuer }, keys.current?.size ?? 0);
    },
  });
  new Counter({
    name: 'keyward_key_set_refreshes_total',
    help: "Times that an issuer's key set was read, or could not be.",
    labelNames: ['issuer', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { config, keys } of trusted) {
        for (const [outcome, times] of Object.entries(keys.refreshes))
          this.inc({ issuer: config.issuer, outcome }, times);
      }
    },
  });
}

/** Shows how many connections to PostgreSQL are in use, idle and waited for. */
function observePool(registry: Registry, pool: ConnectionPool): void {
  const registers = [registry];
  new Gauge({
    name: 'keyward_database_pool_connections',
    help: 'Connections to PostgreSQL that are open.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'active' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'keyward_database_pool_max_connections',
    help: 'Connections to PostgreSQL that may be open.',
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Gauge({
    name: 'keyward_database_pool_waiting',
    help: 'Queries and transactions that wait for a connection.',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
}

/** Shows how large SQLite's write-ahead log is; of another database 0. */
function observeWal(registry: Registry, walSize: (() => number) | undefined): void {
  new Gauge({
    name: 'keyward_database_wal_bytes',
    help: "The size of SQLite's write-ahead log.",
    registers: [registry],
    collect() {
      this.set(walSize?.() ?? 0);
    },
  });
}

/** Shows what came of webhooks, how many deliveries wait, and for how long the oldest has. */
function observeWebhooks(registry: Registry, webhooks: WatchedWebhooks): void {
  const registers = [registry];
  new Counter({
    name: 'keyward_webhook_deliveries_total',
    help: 'Attempts to send a webhook that were taken or failed, and deliveries that were given up.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, times] of Object.entries(webhooks.counts)) this.inc({ outcome }, times);
    },
  });
  new Gauge({
    name: 'keyward_webhook_deliveries_waiting',
    help: 'Webhooks that wait to be sent, at the most 10,000: they are not counted further.',
    registers,
    // All workers count the same.
    aggregator: 'max',
    collect() {
      this.set(webhooks.waiting.count);
    },
  });
  new Gauge({
    name: 'keyward_webhook_oldest_waiting_seconds',
    help: 'For how long the oldest webhook has waited that is not taken yet.',
    registers,
    aggregator: 'max',
    collect() {
      const { since } = webhooks.waiting;
      this.set(since ? Math.max(0, (Date.now() - since.getTime()) / 1000) : 0);
    },
  });
}
