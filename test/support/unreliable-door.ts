import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the door answers a request: with a status and `Retry-After`, by cutting the connection, or as the service. */
export type Behaviour = 429 | 503 | 'cut' | 'pass';

const refuse = (response: ServerResponse, status: number, retryAfter: number) =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'retry-after': `${retryAfter}` })
    .end(JSON.stringify({ detail: 'Refused at the door', errors: [{ message: 'Refused at the door' }] }));

/**
 * Starts a proxy before a service that does not let every request pass.
 * @param behaviours what is done with the first requests, one each; with all others what is done with the last one
 * @param retryAfter what a refusal says, in seconds
 */
export async function startUnreliableDoor(
  service: { port: number },
  behaviours: readonly Behaviour[],
  retryAfter = 0,
) {
  const received: number[] = [];
  const server = createServer((incoming, response) => {
    const behaviour = behaviours[received.length] ?? behaviours.at(-1);
    received.push(performance.now());
    if (behaviour === 'cut') return incoming.socket.destroy();
    if (typeof behaviour === 'number') return refuse(response, behaviour, retryAfter);
    const { method, url, headers } = incoming;
    const onward = request(
      { host: '127.0.0.1', port: service.port, method, path: url, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      },
    );
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** When each request came, in milliseconds. */
    received,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
