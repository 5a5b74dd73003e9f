import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { dataOnly, securityHeaders } from './exchange.ts';

/** The header fields of an answer from outside the gateway; the gateway's own answers have the same. */
const headersOf = (body: string, requestId: string) => ({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'content-security-policy': dataOnly,
  ...securityHeaders,
  'content-length': `${Buffer.byteLength(body)}`,
  'x-request-id': requestId,
});

/** The JSON body of an answer to a request that did not reach the gateway. */
const refusal = (status: number): string => JSON.stringify({ detail: STATUS_CODES[status] });

/**
 * Sends an answer in one piece.
 * @param headers further header fields of the answer
 * @param body the JSON text; if missing, it names the status
 * @returns the request's id
 */
export function answerShortly(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = refusal(status),
): string {
  const requestId = randomUUID();
  response.writeHead(status, { ...headersOf(body, requestId), ...headers }).end(body);
  return requestId;
}

/** The bytes of a refusal, for input that is no readable request. The connection closes after it. */
function rawRefusal(status: number, requestId: string): string {
  const body = refusal(status);
  const headers = Object.entries({ ...headersOf(body, requestId), connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`;
}

/** The statuses for input that Node cannot parse, by Node's error code; 400 for all others. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Notes a refused request: the status of its answer, its id, and the reason. */
export type NoteRefusal = (status: number, requestId: string, reason?: string) => void;

/** Makes the function that writes a line of the log for a refused request. */
export const noteRefusals =
  (logger: Logger): NoteRefusal =>
  (status, requestId, reason) =>
    logger.info({ requestId, status, reason }, 'request refused');

/**
 * Makes the answers to requests that do not reach the gateway. Each refusal gets a log line, and its connection
 * closes.
 */
export function createRefusals(logger: Logger) {
  const note = noteRefusals(logger);
  return {
    /** Refuses a request that another program could understand differently. */
    malformed: (response: ServerResponse): void =>
      note(400, answerShortly(response, 400, { connection: 'close' }), 'target'),

    /** Refuses a request whose connection was silent for too long; its operation can no longer change anything. */
    late(this: ServerResponse): void {
      // A client that does not read its answer in time gets no second answer.
      if (this.headersSent) return void this.destroy();
      const headers = { connection: 'close', 'retry-after': '5' };
      note(503, answerShortly(this, 503, headers), 'answer-timeout');
    },

    /** Refuses input that is no request, or that did not arrive in time. */
    unreadable: (error: NodeJS.ErrnoException, socket: Socket): void => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const status = statuses[error.code ?? ''] ?? 400;
      const requestId = randomUUID();
      note(status, requestId, error.code);
      socket.end(rawRefusal(status, requestId), () => socket.destroy());
    },
  };
}

/** The least time between two log lines about too many connections, in milliseconds. */
const quiet = 60_000;

/** Logs that the server has more connections than its limit; it closes the others at once. */
export function noteDrops(server: Server, logger: Logger): void {
  let saidAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    if (performance.now() - saidAt < quiet) return;
    saidAt = performance.now();
    logger.warn({ connections: server.maxConnections }, 'too many connections');
  });
}
