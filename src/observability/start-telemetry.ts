import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { type Database, isPostgres } from '../database/database.ts';
import type { Finisher } from '../http/exchange.ts';
import type { Metrics, WatchedBackground, WatchedIssuer, WatchedLog } from './metrics/create-metrics.ts';
import type { Tracing } from './tracing/tracing.ts';

/** The configured metrics and traces. Disposal sends the spans that are not sent yet. */
export interface Telemetry extends AsyncDisposable {
  /** The middleware that measures requests; undefined if metrics are off. */
  readonly metrics: Finisher | undefined;
  /** The tracing of requests; undefined if traces are off. */
  readonly tracing: Tracing | undefined;
  /**
   * Adds the metrics of the database connections, of the issuers' verification keys and of the background, as soon as
   * these exist.
   */
  observe(database: Database, trusted: readonly WatchedIssuer[], background: WatchedBackground): void;
}

/**
 * Starts metrics and traces. The code of a part that is off is not even loaded.
 * @param output the output of the log
 * @throws {ConfigError} if the metrics port cannot be used
 */
export async function startTelemetry(config: Config, logger: Logger, output: WatchedLog): Promise<Telemetry> {
  await using started = new AsyncDisposableStack();
  const tracing = started.use(await startTracing(config, logger));
  const metrics = started.use(await startMetrics(config, output));
  const stack = started.move();
  return {
    metrics: metrics?.requests,
    tracing,
    observe: (database, trusted, background) => metrics?.observe(trusted, database, background),
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
