import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { type Database, isPostgres } from '../database/database.ts';
import type { Middleware } from '../http/exchange.ts';
import type { Metrics, WatchedIssuer, WatchedLog, WatchedWebhooks } from './metrics/create-metrics.ts';
import type { Tracing } from './tracing/tracing.ts';

/** What watches the service, where that is asked for; disposing of it sends what is left to be sent. */
export interface Telemetry extends AsyncDisposable {
  /** Measures requests; undefined where nothing is measured. */
  readonly metrics: Middleware | undefined;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** Measures what is there from now on: the connections to the database, the keys of issuers, and webhooks. */
  observe(database: Database, trusted: readonly WatchedIssuer[], webhooks: WatchedWebhooks): void;
}

/**
 * Starts metrics and traces. What is not asked for is not even loaded.
 * @param output where the log goes
 * @throws {ConfigError} where the port of the metrics cannot be had
 */
export async function startTelemetry(config: Config, logger: Logger, output: WatchedLog): Promise<Telemetry> {
  await using started = new AsyncDisposableStack();
  const tracing = started.use(await startTracing(config, logger));
  const metrics = started.use(await startMetrics(config, output));
  const stack = started.move();
  return {
    metrics: metrics?.requests,
    tracing,
    observe: (database, trusted, webhooks) => metrics?.observe(trusted, database, webhooks),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const startMetrics = async (
  { metrics }: Config,
  output: WatchedLog,
): Promise<(Metrics & AsyncDisposable) | undefined> =>
  metrics && (await import('./metrics/start-metrics.ts')).startMetrics(metrics, output);

const startTracing = async (
  { tracing, database }: Config,
  logger: Logger,
): Promise<(Tracing & AsyncDisposable) | undefined> => {
  if (!tracing) return undefined;
  const { startTracing } = await import('./tracing/start-tracing.ts');
  return startTracing(tracing, isPostgres(database) ? 'postgresql' : 'sqlite', logger);
};
