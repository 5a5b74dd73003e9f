import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { plainHeaders } from './security-headers.ts';

/** Header fields of what is answered before or beside the gateway: the same as on its answers. */
const headersOf = (body: string, requestId: string) => ({
  ...plainHeaders,
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
export function rawRefusal(status: number, requestId: string): string {
  const body = refusal(status);
  const headers = Object.entries({ ...headersOf(body, requestId), connection: 'close' });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`;
}
