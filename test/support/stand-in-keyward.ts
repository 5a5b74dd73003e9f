import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';

/** What a stand-in answers: JSON with status 200, or anything else by hand. */
export type StandInAnswer = (
  question: Record<string, unknown>,
  headers: IncomingMessage['headers'],
) => unknown;

/** A verification of a valid key. */
export const validKey = { valid: true, reason: null, key_id: 5, user_id: 1, permissions: ['documents.*'] };

/** A verification of a refused key. */
export const refusedKey = (reason: string, more = {}) => ({
  valid: false,
  reason,
  key_id: 5,
  user_id: 1,
  ...more,
});

const listening = async (server: Server, port = 0) => {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const { port: actual } = server.address() as AddressInfo;
  return { port: actual, url: `http://127.0.0.1:${actual}` };
};

/** Starts a server in place of Keyward that answers every question. */
export async function startStandIn(answer: StandInAnswer = () => validKey, port = 0) {
  const asked: { question: Record<string, unknown>; headers: IncomingMessage['headers']; url: string }[] = [];
  const server = createServer(async (request, response) => {
    const question = (await json(request)) as Record<string, unknown>;
    asked.push({ question, headers: request.headers, url: request.url ?? '' });
    const given = await answer(question, request.headers);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(given));
  });
  return {
    ...(await listening(server, port)),
    server,
    /** What it was asked. */
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Starts a server in place of Keyward that handles each request's bytes by hand. */
export async function startRawStandIn(handle: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      requests.push(text);
      const whole = text;
      text = '';
      handle(socket, whole);
    });
  });
  return {
    ...(await listening(server)),
    requests,
    /** How many connections were made. */
    connections: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** An answer of HTTP, as bytes. */
export const httpAnswer = (body: string | Buffer, head = 'HTTP/1.1 200 OK', fields = '') =>
  Buffer.concat([
    Buffer.from(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${fields}\r\n`),
    Buffer.from(body),
  ]);
