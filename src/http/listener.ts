import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Answer, Incoming, Parts, RequestHeaders } from './exchange.ts';
import type { Load } from './load.ts';
import { declaresBody, defaultBodyLimit } from './read-request.ts';
import { answerShortly, type NoteRefusal } from './short-answers.ts';

/** Answers the requests that Node parsed. */
export interface Answering {
  /** Counts the requests in flight. */
  readonly load: Pick<Load, 'holdUntilSent'>;
  /** Whether the body of a request to this target matters. Other bodies stay unread. */
  takesBody(target: string): boolean;
  /**
   * Answers a request. Every error that this function throws is a fault of the service.
   * @param address the IP address of the peer; null if unknown
   */
  answer(request: Incoming, address: string | null): Promise<Answer>;
}

/**
 * Makes the listener of a node:http server. The listener reads a body at once, but not beyond the limit, and writes
 * an answer in one piece.
 * @param bodyLimit the most bytes of a body
 * @param onFailure receives an uncaught error; the request then gets the answer 500
 * @param onRefusal receives a request that the listener refuses itself
 */
export const createListener =
  (
    answering: Answering,
    bodyLimit: number,
    onFailure: (error: unknown) => void,
    onRefusal: NoteRefusal = () => {},
  ): RequestListener =>
  (incoming, outgoing) => {
    handle(answering, bodyLimit, incoming, outgoing).catch((error: unknown) => {
      if (error === inPieces) return refusePieces(outgoing, onRefusal);
      // An unforeseen error ends this request, not the process.
      onFailure(error);
      if (outgoing.headersSent) return outgoing.destroy();
      answerShortly(outgoing, 500);
    });
  };

const handle = async (
  answering: Answering,
  bodyLimit: number,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const { method = 'GET', url = '/', headers } = incoming;
  const isRead = isWithBody(method, headers, bodyLimit) && answering.takesBody(url);
  const body = isRead ? await readBody(incoming, bodyLimit) : undefined;
  // A body that nobody reads, and that came with the header fields, is there after this turn.
  if (!isRead && declaresBody(incoming)) await new Promise(setImmediate);
  // Only `set-cookie` is a list, and requests do not have this field.
  const request = { method, url, headers: headers as RequestHeaders, body };
  const answer = await answering.answer(request, incoming.socket.remoteAddress ?? null);
  if (answer.rest) return writeParts(outgoing, answer, answer.rest);
  write(outgoing, answer, answering.load);
};

/**
 * Whether the listener must read a body. Without Content-Length and Transfer-Encoding, a request has no body (RFC
 * 9112, section 6.3). A body with a declared length above the limit stays unread.
 */
const isWithBody = (method: string, headers: IncomingHttpHeaders, bodyLimit: number): boolean => {
  if (method === 'GET' || method === 'HEAD') return false;
  const declared = headers['content-length'];
  return declared === undefined ? headers['transfer-encoding'] !== undefined : Number(declared) <= bodyLimit;
};

/** The most pieces of a body with the default limit. Each costs some microseconds, however short it is. */
const mostPieces = 1000;

/** The fault of a body that arrives in too many pieces. */
const inPieces = new Error('the body arrives in too many pieces');

function refusePieces(outgoing: ServerResponse, onRefusal: NoteRefusal): void {
  // A request that took too long already got the answer 503.
  if (!outgoing.headersSent)
    onRefusal(400, answerShortly(outgoing, 400, { connection: 'close' }), 'body-pieces');
  // The answer is with the system by now. Until the connection is closed, Node reads on, at the same cost.
  outgoing.socket?.destroy();
}

/**
 * Reads a body. If it is too long, stops just beyond the limit: that shows the fault. Node drops the rest.
 * @throws {Error} `inPieces`
 */
const readBody = (incoming: IncomingMessage, bodyLimit: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const most = mostPieces * Math.max(1, bodyLimit / defaultBodyLimit);
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > bodyLimit) return done();
      if (chunks.length <= most) return;
      incoming.off('data', onData);
      reject(inPieces);
    };
    const done = () => {
      incoming.off('data', onData);
      resolve(Buffer.concat(chunks));
    };
    incoming.on('data', onData).once('end', done);
  });

/** Whether an answer with this status has no body, and therefore no Content-Length (RFC 9110, section 8.6). */
const isWithoutBody = (status: number): boolean => status === 204 || status === 304;

/** Waits until the system has taken what was written, or the connection is closed. */
const whenRead = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.on('drain', done).on('close', done);
  });

/**
 * Writes an answer part by part, as fast as the client reads.
 * @throws what a part throws; the answer then has no end
 */
async function writeParts(
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
  rest: Parts,
): Promise<void> {
  try {
    // The request took too long, and already got the answer 503.
    if (outgoing.headersSent) return;
    outgoing.writeHead(status, headers);
    // A request for the header fields alone gets no body (RFC 9110, section 9.3.2).
    let part: string | Uint8Array | undefined = outgoing.req.method === 'HEAD' ? undefined : body;
    while (part !== undefined && !outgoing.destroyed) {
      if (!outgoing.write(part)) await whenRead(outgoing);
      // Others get their turn: neither a fast client nor SQLite makes anybody wait.
      await new Promise(setImmediate);
      part = outgoing.destroyed ? undefined : await rest.next();
    }
    outgoing.end();
  } finally {
    await rest.end();
  }
}

function write(
  outgoing: ServerResponse,
  { status, headers, body, isShared }: Answer,
  load: Answering['load'],
): void {
  // The request took too long, and already got the answer 503.
  if (outgoing.headersSent) return;
  if (!isWithoutBody(status)) headers['content-length'] ??= `${Buffer.byteLength(body)}`;
  outgoing.writeHead(status, headers).end(body);
  // A shared body takes no further memory, even if the client reads it slowly.
  if (!isShared) load.holdUntilSent(outgoing);
}
