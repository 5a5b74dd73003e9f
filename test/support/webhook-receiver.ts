import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { listen, stop } from '../../src/http/server.ts';

/** What a receiver was sent, and how it has answered. */
export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body, once its signature is verified. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly event: any;
  readonly path: string;
  /** Whether it was answered in full with a good status. */
  isTaken: boolean;
}

/** How a receiver answers. */
export type Manner = (response: ServerResponse, received: Received) => void;

/** Takes what comes. */
export const take: Manner = (response, received) => {
  received.isTaken = true;
  response.writeHead(204).end();
};

/** Ways in which a receiver fails. */
export const failures: Readonly<Record<string, Manner>> = {
  'an error': (response) => void response.writeHead(500).end('no'),
  'no answer': () => {},
  'a connection that ends': (response) => void response.socket?.destroy(),
  'half an answer': (response) => void response.socket?.write('HTTP/1.1 20'),
  'a redirect': (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  'another protocol': (response) =>
    void response.socket?.write(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ),
  'a hint, and the end of the connection': (response) =>
    void response.socket?.end('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  'hints without end': (response) => {
    const more = () => response.socket?.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100));
    response.socket?.on('drain', more);
    more();
  },
  'leave to go on without end': (response) => {
    const more = () => response.socket?.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100));
    response.socket?.on('drain', more);
    more();
  },
  'headers without end': (response) => {
    const more = () => response.socket?.write('x-more: more\r\n'.repeat(1000));
    response.socket?.on('drain', more).write('HTTP/1.1 200 OK\r\n');
    more();
  },
};

/** A new secret of an endpoint. */
export const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * A receiver of webhooks on this machine, which verifies what it is sent as its provider would.
 * @param manner how it answers; a test may change it
 */
export async function startReceiver(manner: Manner = take, secret = createSecret(), port = 0) {
  const all: Received[] = [];
  const receiver = {
    manner,
    secret,
    url: '',
    /** What came and was not signed by its secret. */
    unverified: 0,
    all: all as readonly Received[],
    /** What it took, in its order. */
    taken: (): readonly Received[] => all.filter(({ isTaken }) => isTaken),
    types: (): string[] => receiver.taken().map(({ event }) => event.type),
    /** As `WEBHOOKS` has it. */
    config: (events: readonly string[] = ['*'], headers: Readonly<Record<string, string>> = {}) => ({
      headers,
      url: receiver.url,
      secrets: [receiver.secret],
      events,
    }),
  };
  const server = createServer((request, response) => {
    let body = '';
    response.on('error', () => {});
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      try {
        const event = new Webhook(receiver.secret).verify(body, request.headers as Record<string, string>);
        const id = `${request.headers['webhook-id']}`;
        const received = {
          id,
          headers: request.headers,
          body,
          event,
          path: `${request.url}`,
          isTaken: false,
        };
        all.push(received);
        receiver.manner(response, received);
      } catch {
        receiver.unverified += 1;
        response.writeHead(400).end();
      }
    });
  });
  await listen(server, port, '127.0.0.1');
  receiver.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/hooks`;
  return Object.assign(receiver, {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await stop(server);
    },
  });
}

/** A receiver under test. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
