import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that is sent to the letter: with the spelling, the order and the repetition of its headers. */
export interface ExactRequest {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** The address that it is sent from. */
  readonly from?: string;
  /** What keeps connections; unless given, the request has one of its own. */
  readonly agent?: Agent | false;
}

/** Begins a request. */
function begin(url: string, wanted: ExactRequest) {
  const { method = 'GET', target = '/', headers = [], body, from, agent = false } = wanted;
  const { hostname, port, host } = new URL(url);
  const length = body === undefined ? [] : ['Content-Length', `${Buffer.byteLength(body)}`];
  return request({
    hostname,
    port,
    method,
    path: target,
    agent,
    ...(from !== undefined && { localAddress: from }),
    headers: ['Host', host, ...length, ...headers.flat()],
  }).end(body);
}

/** Sends a request and reads its answer to the end. */
export async function send(url: string, wanted: ExactRequest) {
  const [response] = (await once(begin(url, wanted), 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Sends a request and hands the answer's body on as it comes. */
export async function stream(url: string, wanted: ExactRequest) {
  const [response] = (await once(begin(url, wanted), 'response')) as [IncomingMessage];
  return { status: response.statusCode, pieces: response.setEncoding('utf8')[Symbol.asyncIterator]() };
}

/** What became of a request for another protocol: its connection, where it was granted. */
export interface Upgrade {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket?: Socket;
}

const webSocket = [
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['Sec-WebSocket-Version', '13'],
] as const;

/** Asks for a WebSocket, or for another protocol where the headers name one. */
export function upgrade(url: string, { headers = [], ...wanted }: ExactRequest): Promise<Upgrade> {
  return new Promise((resolve, reject) => {
    begin(url, { ...wanted, headers: [...webSocket, ...headers] })
      .on('upgrade', ({ statusCode, headers }, socket) =>
        resolve({ status: statusCode, headers, socket: socket as Socket }),
      )
      .on('response', (response) => {
        response.resume();
        resolve({ status: response.statusCode, headers: response.headers });
      })
      .on('error', reject);
  });
}
