import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';

/** A request as it reached an API. */
export interface Received {
  readonly method: string | undefined;
  readonly target: string | undefined;
  /** Names and values in turn, to the letter. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/**
 * The values of a header, as an application behind CGI, WSGI, PHP or lighttpd may read them: for those, names that
 * differ in their case and in whatever is no letter and no digit are one. Some take the first value, some the last.
 */
export function readLikeCgi({ rawHeaders }: Received, name: string): string[] {
  const variableOf = (header: string) => header.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  return rawHeaders.filter(
    (_value, index) => index % 2 === 1 && variableOf(rawHeaders[index - 1] ?? '') === variableOf(name),
  );
}

/** What proves that a server speaks WebSocket (RFC 6455, section 4.2.2). */
const acceptOf = (key: string | undefined) =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

/** Grants whatever protocol is asked for, and sends back what comes. HTTP/1.0 has no upgrades (RFC 9110, section 7.8). */
function echo({ headers, httpVersion }: IncomingMessage, socket: Duplex): void {
  if (httpVersion === '1.0') {
    socket.end('HTTP/1.0 400 Bad Request\r\n\r\n');
    return;
  }
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${headers.upgrade}\r\nSec-WebSocket-Accept: ${acceptOf(headers['sec-websocket-key'])}\r\n\r\n`,
  );
  socket.on('error', () => socket.destroy()).pipe(socket);
}

/**
 * Answers a preflight, begins an event stream at `/events` and one that is not chunked at `/events/until-close`, or
 * says where the answer comes from.
 */
function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  response.useChunkedEncodingByDefault = !url.endsWith('/until-close');
  if (method === 'OPTIONS')
    response.writeHead(204, { 'access-control-allow-origin': 'https://page.example' }).end();
  else if (url.startsWith('/events'))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
  else response.end('from the API');
}

/** Starts an API that notes what reaches it, and believes all of it. */
export async function startProxiedApi() {
  const received: Received[] = [];
  const note = ({ method, url, rawHeaders }: IncomingMessage, body: string) =>
    received.push({ method, target: url, rawHeaders, body });
  let events: ServerResponse | undefined;
  // It accepts longer requests than the proxies do.
  const server = createServer({ maxHeaderSize: 256 * 1024 }, async (request, response) => {
    note(request, await text(request));
    answer(request, response);
    if (!response.writableEnded) events = response;
  });
  server.on('upgrade', (request, socket) => {
    note(request, '');
    echo(request, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received,
    /** Ends the event stream with a second event. */
    endEvents: () => events?.end('data: second\n\n'),
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
