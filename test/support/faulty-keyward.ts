import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval as every } from 'node:timers/promises';

/** Answers a question about a key in another way than Keyward does. */
type Fault = (question: IncomingMessage, answer: ServerResponse) => unknown;

/** Answers with a status and a body. */
const answerWith =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): Fault =>
  (_question, answer) =>
    answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

const valid = { valid: true, reason: null, key_id: 1, user_id: 1, permissions: ['*'] };

const answerJson = (changes: object): Fault => answerWith(200, JSON.stringify({ ...valid, ...changes }));

/** Sends an answer a byte at a time, ten in a second. */
const drip =
  (text: string): Fault =>
  async ({ socket }) => {
    let sent = 0;
    for await (const _ of every(100)) {
      if (socket.destroyed) return;
      socket.write(text.charAt(sent));
      sent += 1;
    }
  };

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n';

/** Sends the beginning of an answer, and cuts the connection. */
const cutAfter =
  (text: string): Fault =>
  ({ socket }) =>
    socket.write(text, () => socket.resetAndDestroy());

/** What may be wrong with an answer, after Keyward has got the whole question. */
export const faults: Readonly<Record<string, Fault>> = {
  'no answer': () => undefined,
  'an answer that comes byte by byte': drip(head),
  'a body that comes byte by byte': ({ socket }, answer) => {
    socket.write(head);
    return drip(JSON.stringify(valid).padEnd(1000))({ socket } as IncomingMessage, answer);
  },
  'a connection that is reset': cutAfter(''),
  'a connection that is reset within the headers': cutAfter('HTTP/1.1 200 OK\r\ncontent-'),
  'a connection that is reset within the body': cutAfter(head + JSON.stringify(valid)),
  'status 500': answerWith(500, '{"detail":"Internal Server Error"}'),
  'status 502 of a proxy': answerWith(502, '<html>Bad Gateway</html>', { 'content-type': 'text/html' }),
  'status 503': answerWith(503, '{"detail":"Service Unavailable"}', { 'retry-after': '7' }),
  'status 401, because its secret is wrong': answerWith(401, '{"detail":"Could not validate credentials"}'),
  'status 403, because its scope is wrong': answerWith(403, '{"detail":"Insufficient scope"}'),
  'status 429': answerWith(429, '{"detail":"Too Many Requests"}', { 'retry-after': '7' }),
  'status 204': (_question, answer) => answer.writeHead(204).end(),
  'status 201 with a valid key': answerWith(201, JSON.stringify(valid)),
  'a redirect': answerWith(307, JSON.stringify(valid), { location: '/elsewhere' }),
  'an empty body': answerWith(200, ''),
  'a page': answerWith(200, '<html>true</html>', { 'content-type': 'text/html' }),
  'broken JSON': answerWith(200, JSON.stringify(valid).slice(0, -1)),
  'JSON that is not UTF-8': answerWith(200, Buffer.from(JSON.stringify({ ...valid, name: 'é' }), 'latin1')),
  'a list': answerWith(200, JSON.stringify([valid])),
  null: answerWith(200, 'null'),
  'a body of 20 MB': answerWith(200, `${JSON.stringify(valid)}${' '.repeat(20_000_000)}`),
  'valid as a text': answerJson({ valid: 'true' }),
  'valid as a number': answerJson({ valid: 1 }),
  'no word about validity': answerJson({ valid: undefined }),
  'no key': answerJson({ key_id: null }),
  'a key as a text': answerJson({ key_id: '1' }),
  'no account': answerJson({ user_id: undefined }),
  'a refusal without a reason': answerJson({ valid: false }),
};

/**
 * Starts what stands before Keyward and can fail in many ways.
 * @param port where Keyward listens
 */
export async function startFaultyKeyward(port: number) {
  let fault: Fault | undefined;
  let questions = 0;
  const server = createServer(async (incoming, response) => {
    questions += 1;
    const { method, url, headers } = incoming;
    const body = await incoming.toArray().catch(() => undefined);
    if (!body) return;
    if (fault) return fault(incoming, response);
    const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end(Buffer.concat(body));
  });
  const listen = async (at: number) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const own = await listen(0);
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return {
    url: `http://127.0.0.1:${own}`,
    /** How many questions have come, or begun to come. */
    questions: () => questions,
    /** Fails from now on; undefined: works again. */
    fail: (how: Fault | undefined) => {
      fault = how;
    },
    /** Goes away: closes all connections, and refuses new ones. */
    leave: stop,
    /** Comes back, at the same address. */
    comeBack: () => listen(own),
    [Symbol.dispose]: stop,
  };
}
