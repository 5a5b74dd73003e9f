import cluster from 'node:cluster';
import { ClusterRegistry } from '@prometheus-io/client';
import type { MetricsConfig } from '../../config/config.ts';
import { createMetrics, type Metrics } from './create-metrics.ts';
import type { WatchedLog } from './observe-log.ts';
import { serveMetrics } from './serve-metrics.ts';

/**
 * Measures this process and serves what it finds; a worker hands it to its supervisor instead.
 * @throws {ConfigError} where its port cannot be had
 */
export async function startMetrics(
  config: MetricsConfig,
  output: WatchedLog,
): Promise<Metrics & AsyncDisposable> {
  const metrics = createMetrics(output);
  if (cluster.isWorker) {
    ClusterRegistry.setRegistries(metrics.registry);
    new ClusterRegistry();
    return { ...metrics, [Symbol.asyncDispose]: async () => {} };
  }
  return { ...metrics, ...(await serveMetrics(config, () => metrics.registry.metrics())) };
}

/**
 * Serves what all workers measure, added up. It must be there before the first of them is started.
 * @throws {ConfigError} where its port cannot be had
 */
export function startClusterMetrics(config: MetricsConfig): Promise<AsyncDisposable> {
  const registry = new ClusterRegistry();
  return serveMetrics(config, () => registry.clusterMetrics());
}
