import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Response } from '@whatwg-node/fetch';
import { shareBody } from './shared-body.ts';
import { takesGzip } from './takes-gzip.ts';

const compress = promisify(gzip);

/** What is answered to many: its bytes, and the same compressed (RFC 1952). */
export interface Compressible {
  readonly content: Buffer<ArrayBuffer>;
  readonly gzipped: Buffer<ArrayBuffer>;
}

/** Compresses what will be answered again and again, once. */
export const compressible = async (content: Buffer<ArrayBuffer>): Promise<Compressible> => ({
  content,
  gzipped: await compress(content),
});

/** The answer to a request for it: compressed for a client that takes that, and the same bytes for everyone. */
export function answerCompressible(
  { content, gzipped }: Compressible,
  request: Request,
  headers: Readonly<Record<string, string>>,
): Response {
  const isCompressed = takesGzip(request);
  const encoding = isCompressed && { 'content-encoding': 'gzip' };
  const body = isCompressed ? gzipped : content;
  return shareBody(
    new Response(body, { headers: { ...headers, ...encoding, vary: 'Accept-Encoding' } }),
    body,
  );
}
