const patternOf = (coding: string) => new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, 'i');
const patterns = { gzip: patternOf('gzip'), br: patternOf('br') };

/** How an answer is compressed: by gzip (RFC 1952) or by Brotli (RFC 7932). */
export type Coding = keyof typeof patterns;

/** Whether a client takes what is compressed so (RFC 9110, section 12.5.3). */
export const takesCoding = ({ headers }: Request, coding: Coding): boolean =>
  patterns[coding].test(headers.get('accept-encoding') ?? '');
