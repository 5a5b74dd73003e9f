import { Counter, collectDefaultMetrics, Gauge, Registry } from '@prometheus-io/client';
import type { ConnectionPool } from '../../database/backend.ts';
import type { Finisher } from '../../http/exchange.ts';
import { readVersion } from '../version.ts';
import { measureRequests } from './measure-requests.ts';

/** The part of the log's output that metrics read. */
export interface WatchedLog {
  readonly dropped: number;
}

/** The part of an issuer that metrics read: its verification keys, and the counts of successful and failed reads. */
export interface WatchedIssuer {
  readonly config: { readonly issuer: string };
  readonly keys: {
    readonly current: { readonly size: number } | undefined;
    readonly refreshes: { readonly success: number; readonly failure: number; readonly unusable: number };
  };
}

/** The parts of a database that metrics read: the connection pool of PostgreSQL, the write-ahead log of SQLite. */
export interface WatchedDatabase {
  readonly pool: ConnectionPool | undefined;
  readonly walSize: (() => number) | undefined;
}

/** The counts of webhooks that metrics read. */
interface WatchedWebhooks {
  readonly counts: Readonly<Record<'delivered' | 'failed' | 'parked', number>>;
  readonly waiting: { readonly count: number; readonly since: Date | undefined };
}

/** The parts of the background that metrics read. */
export interface WatchedBackground {
  readonly webhooks: WatchedWebhooks;
  /** The accounts whose plan is not among the plans; undefined: there are no plans. */
  readonly unknownPlans: { readonly count: number } | undefined;
}

/** The metrics of a process. */
export interface Metrics {
  readonly registry: Registry;
  /** The middleware that measures requests. */
  readonly requests: Finisher;
  /** Adds the metrics of the issuers' verification keys, of the database and of the background. */
  observe(trusted: readonly WatchedIssuer[], database: WatchedDatabase, background: WatchedBackground): void;
}

/**
 * Starts the metrics of this process. The default metrics of Node.js keep their usual names, which dashboards know.
 * @param output the output of the log
 */
export function createMetrics(output: WatchedLog): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  observeBuild(registry);
  observeLog(registry, output);
  return {
    registry,
    requests: measureRequests(registry),
    observe: (trusted, { pool, walSize }, { webhooks, unknownPlans }) => {
      observeKeySets(registry, trusted);
      if (pool) observePool(registry, pool);
      observeWal(registry, walSize);
      observeWebhooks(registry, webhooks);
      if (unknownPlans) observePlans(registry, unknownPlans);
    },
  };
}

function observeBuild(registry: Registry): void {
  new Gauge({
    name: 'keyward_build_info',
    help: 'Always 1. The label is the running version.',
    labelNames: ['version'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version: readVersion() }, 1);
}

/** Counts the dropped log lines. */
function observeLog(registry: Registry, output: WatchedLog): void {
  new Counter({
    name: 'keyward_log_lines_dropped_total',
    help: 'Log lines dropped because the log could not be written.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(output.dropped);
    },
  });
}

/** Measures the number of verification keys of each issuer, and counts their reads. */
function observeKeySets(registry: Registry, trusted: readonly WatchedIssuer[]): void {
  new Gauge({
    name: 'keyward_verification_keys',
    help: "An issuer's verification keys that can be used.",
    labelNames: ['issuer'],
    registers: [registry],
    // Among several workers, the lowest number counts.
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

/** Measures the connections to PostgreSQL: active, idle and awaited. */
function observePool(registry: Registry, pool: ConnectionPool): void {
  const registers = [registry];
  new Gauge({
    name: 'keyward_database_pool_connections',
    help: 'Open connections to PostgreSQL.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'active' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'keyward_database_pool_max_connections',
    help: 'The most open connections to PostgreSQL.',
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Gauge({
    name: 'keyward_database_pool_waiting',
    help: 'Queries and transactions waiting for a connection.',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
}

/** Measures the size of SQLite's write-ahead log; 0 with PostgreSQL. */
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

/**
 * Counts the outcomes of webhook deliveries, and measures the number of waiting deliveries and the age of the oldest.
 */
function observeWebhooks(registry: Registry, webhooks: WatchedWebhooks): void {
  const registers = [registry];
  new Counter({
    name: 'keyward_webhook_deliveries_total',
    help: 'Attempts to send a webhook that succeeded or failed, and deliveries given up.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, times] of Object.entries(webhooks.counts)) this.inc({ outcome }, times);
    },
  });
  new Gauge({
    name: 'keyward_webhook_deliveries_waiting',
    help: 'Waiting webhook deliveries. 10,000 means that many or more.',
    registers,
    // All workers count the same.
    aggregator: 'max',
    collect() {
      this.set(webhooks.waiting.count);
    },
  });
  new Gauge({
    name: 'keyward_webhook_oldest_waiting_seconds',
    help: 'Age of the oldest waiting webhook delivery.',
    registers,
    aggregator: 'max',
    collect() {
      const { since } = webhooks.waiting;
      this.set(since ? Math.max(0, (Date.now() - since.getTime()) / 1000) : 0);
    },
  });
}

/** Measures how many accounts have a plan that is not among the plans. */
function observePlans(registry: Registry, unknown: { readonly count: number }): void {
  new Gauge({
    name: 'keyward_accounts_of_unknown_plans',
    help: 'Accounts whose plan is not in PLANS_FILE; they get the default plan.',
    registers: [registry],
    // All workers count the same.
    aggregator: 'max',
    collect() {
      this.set(unknown.count);
    },
  });
}
