import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Answer, Incoming, RequestHeaders } from './exchange.ts';
import type { Load } from './load.ts';
import { answerShortly, refusal } from './short-answers.ts';

/** What answers the requests that Node has read. */
export interface Answering {
  /** What it counts requests by. */
  readonly load: Pick<Load, 'holdUntilSent'>;
  /**
   * Answers a request; what it throws is a fault of this service.
   * @param address the IP address of the peer; null where it is not known
   */
  answer(request: Incoming, address: string | null): Promise<Answer>;
}

/**
 * The listener of a node:http server. A body is read here, at once and no further than it may be long, and an answer is
 * written in one piece.
 * @param bodyLimit the most bytes of a body
 * @param onFailure told of an error that was let through; the request is then answered 500
 */
export const createListener =
  (answering: Answering, bodyLimit: number, onFailure: (error: unknown) => void): RequestListener =>
  (incoming, outgoing) => {
    handle(answering, bodyLimit, incoming, outgoing).catch((error: unknown) => {
      // What was not foreseen is the end of this request, not of the process.
      onFailure(error);
      if (outgoing.headersSent) return outgoing.destroy();
      answerShortly(outgoing, 500, refusal(500));
    });
  };

const handle = async (
  answering: Answering,
  bodyLimit: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const { method = 'GET', url = '/', headers } = incoming;
  const body = isWithBody(method, headers, bodyLimit) ? await readBody(incoming, bodyLimit) : undefined;
  // Only `set-cookie` is a list, and no request has it.
  const request = { method, url, headers: headers as RequestHeaders, body };
  write(outgoing, await answering.answer(request, incoming.socket.remoteAddress ?? null), answering.load);
};

/** Where neither header is there, there is no body (RFC 9112, section 6.3); one that says it is too long is not read. */
const isWithBody = (method: string, headers: IncomingHttpHeaders, bodyLimit: number): boolean => {
  if (method === 'GET' || method === 'HEAD') return false;
  const declared = headers['content-length'];
  return declared === undefined ? headers['transfer-encoding'] !== undefined : Number(declared) <= bodyLimit;
};

/** A body, or of one that is too long as much as shows that it is. What is left is for Node to drop. */
const readBody = (incoming: IncomingMessage, bodyLimit: number): Promise<Uint8Array> =>
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

/** Answers that have no body, and so no length of one (RFC 9110, section 8.6). */
const isWithoutBody = (status: number): boolean => status === 204 || status === 304;

function write(
  outgoing: ServerResponse,
  { status, headers, body, isShared }: Answer,
  load: Answering['load'],
): void {
  // It took too long, and was answered 503.
  if (outgoing.headersSent) return;
  if (!isWithoutBody(status)) headers['content-length'] ??= `${Buffer.byteLength(body)}`;
  outgoing.writeHead(status, headers).end(body);
  // What is shared is there anyway, whoever reads it, and however slowly.
  if (!isShared) load.holdUntilSent(outgoing);
}
