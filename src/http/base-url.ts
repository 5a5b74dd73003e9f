/** Hosts that stand for all addresses of a machine. */
export const wildcards = ['0.0.0.0', '::'];

/** The URL of a server that listens here; of one that listens everywhere, its URL on this machine. */
export function baseUrl(host: string, port: number): string {
  const reachable = wildcards.includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
