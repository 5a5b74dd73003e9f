import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy before a server, which holds back what the server says for as long as it is told to. */
export async function startHeldProxy(server: string) {
  const { hostname, port } = new URL(server);
  const fromServer = new Set<Socket>();
  let holdsNew = false;
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    fromServer.add(upstream);
    const close = () => {
      fromServer.delete(upstream);
      upstream.destroy();
      client.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', close).on('close', close);
    client.pipe(upstream).pipe(client);
    if (holdsNew) upstream.pause();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    /** The URL of one of the server's databases, by way of it. */
    through: (url: string): string =>
      Object.assign(new URL(url), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }).href,
    /** Holds back all answers until it is disposed of. */
    hold: (): Disposable => {
      const held = [...fromServer];
      for (const upstream of held) upstream.pause();
      return {
        [Symbol.dispose]: () => {
          for (const upstream of held) upstream.resume();
        },
      };
    },
    /** Holds back all answers for good, on connections that are yet to come as well. */
    holdAll: (): void => {
      holdsNew = true;
      for (const upstream of fromServer) upstream.pause();
    },
    [Symbol.dispose]: () => void proxy.close(),
  };
}
