import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import type { Answer, RequestHeaders } from './exchange.ts';

/** A content coding: gzip (RFC 1952) or Brotli (RFC 7932). */
type Coding = 'br' | 'gzip';

/** The first of some content codings that a client accepts (RFC 9110, section 12.5.3); undefined: none. */
export function acceptedCoding(headers: RequestHeaders, codings: readonly Coding[]): Coding | undefined {
  // Without the header, a client accepts any coding. Many that send none understand none.
  if (!headers['accept-encoding']) return undefined;
  const accepted = new Negotiator({ headers }).encodings([...codings]);
  return codings.find((coding) => accepted.includes(coding));
}

const compress = promisify(gzip);

/** A body for many answers: its bytes, and its compressed forms, the smallest first. */
export interface Compressible {
  readonly content: Buffer<ArrayBuffer>;
  readonly compressed: ReadonlyMap<Coding, Buffer<ArrayBuffer>>;
}

/**
 * Compresses, once, a body that many answers will carry.
 * @param brotli the same body, compressed by Brotli, which is too slow to run here
 */
export const compressible = async (
  content: Buffer<ArrayBuffer>,
  brotli?: Buffer<ArrayBuffer>,
): Promise<Compressible> => ({
  content,
  compressed: new Map([...(brotli ? [['br', brotli] as const] : []), ['gzip', await compress(content)]]),
});

/** Makes an answer with this body: compressed if the client accepts that. All clients share the same bytes. */
export function answerCompressible(
  { content, compressed }: Compressible,
  request: { readonly headers: RequestHeaders },
  headers: Readonly<Record<string, string>>,
): Answer {
  const coding = acceptedCoding(request.headers, [...compressed.keys()]);
  const body = (coding && compressed.get(coding)) ?? content;
  const encoding = coding && { 'content-encoding': coding };
  return {
    status: 200,
    headers: {
      ...headers,
      ...encoding,
      vary: ['Accept-Encoding', headers['vary']].filter(Boolean).join(', '),
    },
    body,
    isShared: true,
  };
}
