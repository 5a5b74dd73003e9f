import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Request } from '@whatwg-node/fetch';
import type { Load } from './load.ts';
import { answerShortly, refusal } from './short-answers.ts';

/** A handler of fetch requests. */
export interface FetchHandler {
  /** What it counts requests by. */
  readonly load: Pick<Load, 'holdUntilSent'>;
  fetch(request: Request, address: string | null): Promise<Response>;
}

/**
 * Serves a fetch handler by node:http. A body is read here, at once and no further than it may be long, and an answer
 * is written in one piece: Yoga's own adapter makes streams, signals and listeners of each request, for which no
 * operation has a use.
 * @param bodyLimit the most bytes of a body
 * @param onFailure told of an error that the handler let through; the request is then answered 500
 */
export const fetchListener =
  (handler: FetchHandler, bodyLimit: number, onFailure: (error: unknown) => void): RequestListener =>
  (incoming, outgoing) => {
    handle(handler, bodyLimit, incoming, outgoing).catch((error: unknown) => {
      // What the handler did not foresee is the end of this request, not of the process.
      onFailure(error);
      if (outgoing.headersSent) return outgoing.destroy();
      answerShortly(outgoing, 500, refusal(500));
    });
  };

const handle = async (
  { fetch, load }: FetchHandler,
  bodyLimit: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const { method = 'GET', url, headers } = incoming;
  const body = isWithBody(method, headers, bodyLimit) ? await readBody(incoming, bodyLimit) : undefined;
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: (body ? { ...headers, 'content-length': `${body.length}` } : headers) as Record<string, string>,
    ...(body && { body }),
  });
  await answer(outgoing, await fetch(request, incoming.socket.remoteAddress ?? null), load);
};

/** Where neither header is there, there is no body (RFC 9112, section 6.3); one that says it is too long is not read. */
const isWithBody = (method: string, headers: IncomingHttpHeaders, bodyLimit: number): boolean => {
  if (method === 'GET' || method === 'HEAD') return false;
  const declared = headers['content-length'];
  return declared === undefined ? headers['transfer-encoding'] !== undefined : Number(declared) <= bodyLimit;
};

/** A body, or of one that is too long as much as shows that it is. What is left is for Node to drop. */
const readBody = (incoming: IncomingMessage, bodyLimit: number): Promise<Uint8Array<ArrayBuffer>> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > bodyLimit) done();
    };
    const done = () => {
      incoming.off('data', onData);
      resolve(Buffer.concat(chunks));
    };
    incoming.on('data', onData).once('end', done);
  });

/** Not by its `body`, which would be made into a stream. */
const readOwn = async (response: Response): Promise<string | Uint8Array> =>
  response.headers.has('content-encoding') ? response.bytes() : response.text();

const sharedBodies = new WeakMap<Response, Uint8Array>();

/** Marks an answer whose body is the same bytes for everyone: they are written as they are, and never copied. */
export function shareBody(response: Response, body: Uint8Array): Response {
  sharedBodies.set(response, body);
  return response;
}

/** The bytes that an answer shares with others; undefined where it has a body of its own. */
export const sharedBodyOf = (response: Response): Uint8Array | undefined => sharedBodies.get(response);

async function answer(
  outgoing: ServerResponse,
  response: Response,
  load: FetchHandler['load'],
): Promise<void> {
  const shared = sharedBodyOf(response);
  const body = shared ?? (await readOwn(response));
  // It took too long, and was answered 503.
  if (outgoing.headersSent) return;
  const headers: string[] = [];
  response.headers.forEach((value, name) => {
    headers.push(name, value);
  });
  const hasLength = response.status !== 204 && !response.headers.has('content-length');
  if (hasLength) headers.push('content-length', `${Buffer.byteLength(body)}`);
  outgoing.writeHead(response.status, headers).end(body);
  // What is shared is there anyway, whoever reads it, and however slowly.
  if (!shared) load.holdUntilSent(outgoing);
}
