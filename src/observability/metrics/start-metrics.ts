import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { ClusterRegistry, Registry } from '@prometheus-io/client';
import type { MetricsConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { listen, stop } from '../../http/server.ts';
import { createMetrics, type Metrics, type WatchedLog } from './create-metrics.ts';

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

/**
 * Serves metrics to Prometheus at `/metrics`, on a listener of their own; disposing of it stops it.
 * @param collect their text, as it is now
 * @throws {ConfigError} where its port cannot be had
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
      // A worker that does not answer; Prometheus tells a scrape that failed from one that shows nothing.
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
