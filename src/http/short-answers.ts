import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { dataOnly, securityHeaders } from './answers.ts';

/** Header fields of what is answered before or beside the gateway: the same as on its answers. */
const headersOf = (body: string, requestId: string) => ({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'content-security-policy': dataOnly,
  ...securityHeaders,
  'content-length': `${Buffer.byteLength(body)}`,
  'x-request-id': requestId,
});

/** What is said of a request that did not reach the gateway, as JSON. */
export const refusal = (status: number): string => JSON.stringify({ detail: STATUS_CODES[status] });

/**
 * Answers in one piece.
 * @param headers what the answer carries beside the usual
 * @returns the request's id
 */
export function answerShortly(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const requestId = randomUUID();
  response.writeHead(status, { ...headersOf(body, requestId), ...headers }).end(body);
  return requestId;
}

/** A refusal as it goes over the wire, for what could not be read as a request; the connection ends with it. */
function rawRefusal(status: number, requestId: string): string {
  const body = refusal(status);
  const headers = Object.entries({ ...headersOf(body, requestId), connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`;
}

/** The answers to what Node cannot read, by the code of its error; for any other it is 400. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what does not reach the gateway; each gets a line in the log, and its connection ends with it. */
export function createRefusals(logger: Logger) {
  const note = (status: number, requestId: string, reason?: string) =>
    logger.info({ requestId, status, reason }, 'request refused');
  return {
    /** A request that could be read as another than it is. */
    malformed: (response: ServerResponse): void =>
      note(400, answerShortly(response, 400, refusal(400), { connection: 'close' }), 'target'),

    /** A request whose connection has been silent for too long; its operation changes nothing any more. */
    late(this: ServerResponse): void {
      // Whoever does not take its answer in time gets no other.
      if (this.headersSent) return void this.destroy();
      const headers = { connection: 'close', 'retry-after': '5' };
      note(503, answerShortly(this, 503, refusal(503), headers), 'answer-timeout');
    },

    /** What is no request, or did not arrive in time. */
    unreadable: (error: NodeJS.ErrnoException, socket: Socket): void => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const status = statuses[error.code ?? ''] ?? 400;
      const requestId = randomUUID();
      note(status, requestId, error.code);
      socket.end(rawRefusal(status, requestId), () => socket.destroy());
    },
  };
}

/** No more than one line in this time says that there are too many connections, in milliseconds. */
const quiet = 60_000;

/** Says in the log that there are more connections than may be: the others are closed at once. */
export function noteDrops(server: Server, logger: Logger): void {
  let saidAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - saidAt < quiet) return;
    saidAt = performance.now();
    logger.warn({ connections: server.maxConnections }, 'too many connections');
  });
}
