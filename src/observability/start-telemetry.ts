import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { isPostgres } from '../database/database.ts';
import type { WatchedLog } from './metrics/create-metrics.ts';

/**
 * Starts the configured metrics and traces. The code of a part that is off is not even loaded. Disposal sends the spans
 * that are not sent yet.
 * @param output the output of the log
 * @throws {ConfigError} if the metrics port cannot be used
 */
export async function startTelemetry(config: Config, logger: Logger, output: WatchedLog) {
  await using started = new AsyncDisposableStack();
  const system = isPostgres(config.database) ? 'postgresql' : 'sqlite';
  const tracing =
    config.tracing &&
    (await import('./tracing/start-tracing.ts')).startTracing(config.tracing, system, logger);
  started.use(tracing);
  const metrics =
    config.metrics &&
    (await (await import('./metrics/start-metrics.ts')).startMetrics(config.metrics, output));
  started.use(metrics);
  return Object.assign(started.move(), {
    /** The middleware that measures requests; undefined if metrics are off. */
    metrics: metrics?.requests,
    /** The tracing of requests; undefined if traces are off. */
    tracing,
    /**
     * Adds the metrics of the issuers' verification keys, of the database and of the background, as soon as these exist.
     */
    observe: metrics?.observe,
  });
}
