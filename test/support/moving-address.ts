import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Starts a TCP proxy whose address can move to another server, as a DNS name or a virtual IP address does: only new
 * connections lead to the other server. Open connections stay where they are.
 */
export async function startMovingAddress(server: string) {
  let target = new URL(server);
  /** The open connections, the oldest first. */
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    open.add(client);
    const close = () => {
      open.delete(client);
      upstream.destroy();
      client.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', close).on('close', close);
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = (share: number): void => {
    for (const client of [...open].slice(0, Math.ceil(open.size * share))) client.destroy();
  };
  return {
    /** The URL of one of the server's databases, by way of it. */
    through: (url: string): string =>
      Object.assign(new URL(url), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }).href,
    /** Leads new connections to another server from now on. */
    moveTo: (url: string): void => {
      target = new URL(url);
    },
    /** Cuts a share (0–1) of the open connections, the oldest first. */
    cut,
    [Symbol.dispose]: () => {
      cut(1);
      proxy.close();
    },
  };
}

/** An address that can move from one server to another. */
export type MovingAddress = Awaited<ReturnType<typeof startMovingAddress>>;
