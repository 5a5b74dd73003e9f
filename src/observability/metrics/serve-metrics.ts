import { createServer } from 'node:http';
import { Registry } from '@prometheus-io/client';
import type { MetricsConfig } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { listen, stop } from '../../http/server.ts';

/**
 * Serves metrics to Prometheus at `/metrics`, on a listener of their own; disposing of it stops it.
 * @param collect their text, as it is now
 * @throws {ConfigError} where its port cannot be had
 */
export async function serveMetrics(
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
