/** Whether a client takes what gzip has compressed (RFC 9110, section 12.5.3). */
export const takesGzip = ({ headers }: Request): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers.get('accept-encoding') ?? '');
