import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Answer, RequestHeaders } from './exchange.ts';

const patternOf = (coding: string) => new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, 'i');
const patterns = { gzip: patternOf('gzip'), br: patternOf('br') };

/** How an answer is compressed: by gzip (RFC 1952) or by Brotli (RFC 7932). */
type Coding = keyof typeof patterns;

/** Whether a client takes what is compressed so (RFC 9110, section 12.5.3). */
export const takesCoding = (headers: RequestHeaders, coding: Coding): boolean =>
  patterns[coding].test(headers['accept-encoding'] ?? '');

const compress = promisify(gzip);

/** What is answered to many: its bytes, and the same compressed, the smallest first. */
export interface Compressible {
  readonly content: Buffer<ArrayBuffer>;
  readonly compressed: readonly (readonly [coding: Coding, content: Buffer<ArrayBuffer>])[];
}

/**
 * Compresses what will be answered again and again, once.
 * @param brotli the same by Brotli, which takes too long to be done here
 */
export const compressible = async (
  content: Buffer<ArrayBuffer>,
  brotli?: Buffer<ArrayBuffer>,
): Promise<Compressible> => ({
  content,
  compressed: [...(brotli ? [['br', brotli] as const] : []), ['gzip', await compress(content)]],
});

/** The answer to a request for it: compressed for a client that takes that, and the same bytes for everyone. */
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
