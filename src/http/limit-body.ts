import type { FetchAPI } from 'graphql-yoga';
import { GatewayError } from '../errors.ts';

/** The largest request body, in bytes. */
const maximumBytes = 64 * 1024;

const tooLarge = () => new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${maximumBytes} bytes`);

/**
 * A request whose body is no larger than 64 KiB. One of a declared length is only looked at: the HTTP parser lets no
 * more than that in. One of unknown length is read here.
 * @throws {GatewayError} `PAYLOAD_TOO_LARGE`
 */
export function limitBody(request: Request, fetchAPI: FetchAPI): Request | Promise<Request> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > maximumBytes) throw tooLarge();
  // With neither of the two there is no body (RFC 9112, section 6.3).
  const isChunked = declared === null && request.headers.has('transfer-encoding');
  if (!isChunked || request.method === 'GET' || !request.body) return request;
  return readBounded(request, request.body, fetchAPI);
}

async function readBounded(
  request: Request,
  body: ReadableStream<Uint8Array>,
  fetchAPI: FetchAPI,
): Promise<Request> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.byteLength;
    // Not cancelled: that would cut the connection before the answer is on its way.
    if (bytes > maximumBytes) throw tooLarge();
    chunks.push(next.value);
  }
  const { url, method, headers, signal } = request;
  return new fetchAPI.Request(url, { method, headers, signal, body: Buffer.concat(chunks) });
}
