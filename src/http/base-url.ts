/** The hosts that mean all addresses of a machine. */
export const wildcards = ['0.0.0.0', '::'];

/**
 * The URL of a server with this host and port. For a server that listens on all addresses, its URL on this machine:
 * `0.0.0.0`, 4000 → `http://127.0.0.1:4000`.
 */
export function baseUrl(host: string, port: number): string {
  const reachable = wildcards.includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
