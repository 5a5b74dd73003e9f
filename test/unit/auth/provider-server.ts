import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server that answers as badly as a test wants it to. */
export async function startProvider() {
  const requests: string[] = [];
  let answer: RequestListener = (_request, response) => response.end('{}');
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The paths that it was asked for. */
    requests,
    /** Sets how it answers from now on. */
    answerWith: (listener: RequestListener) => {
      answer = listener;
    },
    /** Answers the same JSON to all. */
    answerJson: (body: unknown) => {
      answer = (_request, response) => response.end(JSON.stringify(body));
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
