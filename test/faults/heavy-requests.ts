import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A thread that sends one person's requests, each as soon as there is an answer to the one before on its connection. It
 * reads the answers and keeps nothing of them; told anything, it stops and says what it got.
 */
const { url, token, bodies, paths, connections } = workerData as {
  readonly url: string;
  readonly token: string;
  /** GraphQL documents, and paths of REST: sent in turn. */
  readonly bodies: readonly string[];
  readonly paths: readonly string[];
  readonly connections: number;
};
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const authorization = `Bearer ${token}`;
const result = { served: 0, refused: 0, bytes: 0 };
let stopped = false;

const sends = [
  ...paths.map((path) => () => request(url + path, { agent, headers: { authorization } }).end()),
  ...bodies.map((query) => () => {
    const headers = { authorization, 'content-type': 'application/json' };
    return request(`${url}/graphql`, { agent, method: 'POST', headers }).end(JSON.stringify({ query }));
  }),
];

async function sendAll(first: number): Promise<void> {
  for (let index = first; !stopped; index += 1) {
    const outgoing = sends[index % sends.length]?.();
    const status = await new Promise<number>((resolve) => {
      outgoing?.on('error', () => resolve(0));
      outgoing?.on('response', (response) => {
        response.on('data', (chunk: Buffer) => {
          result.bytes += chunk.length;
        });
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
    });
    if (status === 200) result.served += 1;
    else if (status === 429) result.refused += 1;
    // Who is refused asks again soon, and not at once: the answers are what is to be heavy.
    if (status !== 200) await delay(100);
  }
}

const sending = Array.from({ length: connections }, (_, index) => sendAll(index));
parentPort?.once('message', async () => {
  stopped = true;
  await Promise.all(sending);
  agent.destroy();
  parentPort?.postMessage(result);
});
