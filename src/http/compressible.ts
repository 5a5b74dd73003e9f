import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Answer, RequestHeaders } from './exchange.ts';

const patternOf = (coding: string) => new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, 'i');
const patterns = { gzip: patternOf('gzip'), br: patternOf('br') };

/** A content coding: gzip (RFC 1952) or Brotli (RFC 7932). */
type Coding = keyof typeof patterns;

/** Whether a client accepts a content coding (RFC 9110, section 12.5.3). */
export const takesCoding = (headers: RequestHeaders, coding: Coding): boolean =>
  patterns[coding].test(headers['accept-encoding'] ?? '');

const compress = promisify(gzip);

/** A body for many answers: its bytes, and its compressed forms, the smallest first. */
export interface Compressible {
  readonly content: Buffer<ArrayBuffer>;
  readonly compressed: readonly (readonly [coding: Coding, content: Buffer<ArrayBuffer>])[];
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
  compressed: [...(brotli ? [['br', brotli] as const] : []), ['gzip', await compress(content)]],
});

/** Makes an answer with this body: compressed if the client accepts that. All clients share the same bytes. */
export function answerCompressible(
  { content, compressed }: Compressible,
  request: { readonly headers: RequestHeaders },
  headers: Readonly<Record<string, string>>,
): Answer {
  const [coding, body] = compressed.find(([name]) => takesCoding(request.headers, name)) ?? [
    undefined,
    content,
  ];
  const encoding = coding && { 'content-encoding': coding };
  return {
    status: 200,
    headers: { ...headers, ...encoding, vary: 'Accept-Encoding' },
    body,
    isShared: true,
  };
}
