import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { ClusterRegistry, Registry } from '@prometheus-io/client';
import type { MetricsConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { listen, stop } from '../../http/server.ts';
import { createMetrics, type Metrics, type WatchedLog } from './create-metrics.ts';

/**
 * Measures this process and serves its metrics. A worker sends its metrics to the supervisor instead.
 * @throws {ConfigError} if the metrics port cannot be used
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
 * Serves the combined metrics of all workers. It must start before the first worker does.
 * @throws {ConfigError} if the metrics port cannot be used
 */
export function startClusterMetrics(config: MetricsConfig): Promise<AsyncDisposable> {
  const registry = new ClusterRegistry();
  return serveMetrics(config, () => registry.clusterMetrics());
}

/**
 * Serves metrics to Prometheus at `/metrics`, on a port of their own. Disposal closes the port.
 * @param collect gives the current metrics as text
 * @throws {ConfigError} if the metrics port cannot be used
 */
async function serveMetrics(
  { host, port }: MetricsConfig,
  collect: () => Promise<string>,
): Promise<AsyncDisposable> {
  const server = createServer(async ({ method = '', url }, response) => {
    if (url !== '/metrics') return response.writeHead(404).end();
    if (!['GET', 'HEAD'].includes(method)) return response.writeHead(405, { allow: 'GET, HEAD' }).end();
    try {
      const text = await collect();
      response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
    } catch {
      // A worker did not answer. Prometheus can tell a failed scrape from one without values.
      response.writeHead(503).end();
    }
  });
  await listen(server, port, host).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`METRICS_PORT ${port} cannot be listened on at METRICS_HOST (${error.code})`], {
      cause: error,
    });
  });
  return { [Symbol.asyncDispose]: () => stop(server) };
}
