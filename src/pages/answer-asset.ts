import { answerCompressible } from '../http/compressible.ts';
import type { Exchange } from '../http/exchange.ts';
import type { PageFile } from './page-files.ts';

/** A worker obeys the policy of its own file. */
const filePolicy = "default-src 'self'";

/** An image that somebody opens by itself may be an SVG with scripts. */
const imagePolicy = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox";

/**
 * Makes the answer with a file of the pages.
 * @param isExact whether the name of the file is that of its content
 * @param headers further header fields
 */
export const answerAsset = (
  file: PageFile,
  exchange: Exchange,
  isExact = true,
  headers: Readonly<Record<string, string>> = {},
) =>
  answerCompressible(file, exchange, {
    ...headers,
    'content-type': file.mediaType,
    'cache-control': isExact ? 'public, max-age=31536000, immutable' : 'no-store',
    'content-security-policy': file.mediaType.startsWith('image/') ? imagePolicy : filePolicy,
  });
