import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Registry,
} from '@prometheus-io/client';
import type { ConnectionPool } from '../../database/backend.ts';
import type { Database } from '../../database/database.ts';
import { readVersion } from '../version.ts';
import { measureRequests } from './measure-requests.ts';

/** The part of the log's output that metrics read. */
export interface WatchedLog {
  readonly dropped: number;
}

/** The part of an issuer that metrics read: its verification keys, and the counts of successful and failed reads. */
interface WatchedIssuer {
  readonly config: { readonly issuer: string };
  readonly keys: {
    readonly current: { readonly length: number } | undefined;
    readonly refreshes: { readonly success: number; readonly failure: number; readonly unusable: number };
  };
}

/** The parts of a database that metrics read: the connection pool of PostgreSQL, the write-ahead log of SQLite. */
type WatchedDatabase = Pick<Database, 'pool' | 'walSize'>;

/** The parts of the background that metrics read. */
interface WatchedBackground {
  readonly webhooks: {
    readonly counts: Readonly<Record<'delivered' | 'failed' | 'parked', number>>;
    readonly waiting: { readonly count: number; readonly since: Date | undefined };
  };
  /** The accounts whose plan is not among the plans; undefined: there are no plans. */
  readonly unknownPlans: { readonly count: number } | undefined;
  /** Counts the keys that were accepted while the database was away; undefined: none is. */
  readonly doorGrace: { readonly accepted: number } | undefined;
}

/** A metric whose values are read each time that somebody asks for the metrics. */
interface Watched extends Pick<GaugeConfiguration<string>, 'name' | 'help' | 'labelNames' | 'aggregator'> {
  readonly read: () => readonly (readonly [value: number, labels?: Readonly<Record<string, string>>])[];
}

function addGauge(registry: Registry, { read, ...about }: Watched): void {
  new Gauge<string>({
    ...about,
    registers: [registry],
    collect() {
      for (const [value, labels = {}] of read()) this.set(labels, value);
    },
  });
}

/** Adds a counter; others do the counting. */
function addCounter(registry: Registry, { read, ...about }: Watched): void {
  new Counter<string>({
    ...about,
    registers: [registry],
    collect() {
      this.reset();
      for (const [value, labels = {}] of read()) this.inc(labels, value);
    },
  });
}

/**
 * Starts the metrics of this process. The default metrics of Node.js keep their usual names, which dashboards know.
 * @param output the output of the log
 */
export function createMetrics(output: WatchedLog) {
  const registry = new Registry();
  const version = readVersion();
  collectDefaultMetrics({ register: registry });
  addGauge(registry, {
    name: 'keyward_build_info',
    help: 'Always 1. The label is the running version.',
    labelNames: ['version'],
    aggregator: 'first',
    read: () => [[1, { version }]],
  });
  addCounter(registry, {
    name: 'keyward_log_lines_dropped_total',
    help: 'Log lines dropped because the log could not be written.',
    read: () => [[output.dropped]],
  });
  return {
    registry,
    /** The middleware that measures requests. */
    requests: measureRequests(registry),
    /** Adds the metrics of the issuers' verification keys, of the database and of the background. */
    observe: (
      trusted: readonly WatchedIssuer[],
      { pool, walSize }: WatchedDatabase,
      { webhooks, unknownPlans, doorGrace }: WatchedBackground,
    ): void => {
      observeKeySets(registry, trusted);
      if (pool) observePool(registry, pool);
      addGauge(registry, {
        name: 'keyward_database_wal_bytes',
        help: "The size of SQLite's write-ahead log.",
        // 0 with PostgreSQL.
        read: () => [[walSize?.() ?? 0]],
      });
      observeWebhooks(registry, webhooks);
      if (unknownPlans) observePlans(registry, unknownPlans);
      if (doorGrace)
        addCounter(registry, {
          name: 'keyward_stale_verifications_total',
          help: 'API keys accepted by what the database said before, while it was away.',
          read: () => [[doorGrace.accepted]],
        });
    },
  };
}

/** The metrics of a process. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Measures the number of verification keys of each issuer, and counts their reads. */
function observeKeySets(registry: Registry, trusted: readonly WatchedIssuer[]): void {
  addGauge(registry, {
    name: 'keyward_verification_keys',
    help: "An issuer's verification keys that can be used.",
    labelNames: ['issuer'],
    // Among several workers, the lowest number counts.
    aggregator: 'min',
    read: () => trusted.map(({ config, keys }) => [keys.current?.length ?? 0, { issuer: config.issuer }]),
  });
  addCounter(registry, {
    name: 'keyward_key_set_refreshes_total',
    help: "Times that an issuer's key set was read, or could not be.",
    labelNames: ['issuer', 'outcome'],
    read: () =>
      trusted.flatMap(({ config: { issuer }, keys }) =>
        Object.entries(keys.refreshes).map(([outcome, times]) => [times, { issuer, outcome }] as const),
      ),
  });
}

/** Measures the connections to PostgreSQL: active, idle and awaited. */
function observePool(registry: Registry, pool: ConnectionPool): void {
  addGauge(registry, {
    name: 'keyward_database_pool_connections',
    help: 'Open connections to PostgreSQL.',
    labelNames: ['state'],
    read: () => [
      [pool.totalCount - pool.idleCount, { state: 'active' }],
      [pool.idleCount, { state: 'idle' }],
    ],
  });
  addGauge(registry, {
    name: 'keyward_database_pool_max_connections',
    help: 'The most open connections to PostgreSQL.',
    read: () => [[pool.options.max]],
  });
  addGauge(registry, {
    name: 'keyward_database_pool_waiting',
    help: 'Queries and transactions waiting for a connection.',
    read: () => [[pool.waitingCount]],
  });
}

/**
 * Counts the outcomes of webhook deliveries, and measures the number of waiting deliveries and the age of the oldest.
 * All workers measure the same.
 */
function observeWebhooks(registry: Registry, webhooks: WatchedBackground['webhooks']): void {
  addCounter(registry, {
    name: 'keyward_webhook_deliveries_total',
    help: 'Attempts to send a webhook that succeeded or failed, and deliveries given up.',
    labelNames: ['outcome'],
    read: () => Object.entries(webhooks.counts).map(([outcome, times]) => [times, { outcome }]),
  });
  addGauge(registry, {
    name: 'keyward_webhook_deliveries_waiting',
    help: 'Waiting webhook deliveries. 10,000 means that many or more.',
    aggregator: 'max',
    read: () => [[webhooks.waiting.count]],
  });
  addGauge(registry, {
    name: 'keyward_webhook_oldest_waiting_seconds',
    help: 'Age of the oldest waiting webhook delivery.',
    aggregator: 'max',
    read: () => [[secondsSince(webhooks.waiting.since)]],
  });
}

/** The age of something; 0 if there is nothing. */
const secondsSince = (begun: Date | undefined): number =>
  begun ? Math.max(0, (Date.now() - begun.getTime()) / 1000) : 0;

/** Measures how many accounts have a plan that is not among the plans. */
function observePlans(registry: Registry, unknown: { readonly count: number }): void {
  addGauge(registry, {
    name: 'keyward_accounts_of_unknown_plans',
    help: 'Accounts whose plan is not in PLANS_FILE; they get the default plan.',
    // All workers count the same.
    aggregator: 'max',
    read: () => [[unknown.count]],
  });
}
