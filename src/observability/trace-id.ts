// Of version 00 nothing may follow; of a later one more parts may.
const traceparent =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2}(?=.{53}(?:-|$)))-((?!0{32})[\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}/;

/**
 * The trace that a caller says its request belongs to, by the header `traceparent` (W3C Trace Context, section 3.2).
 * @returns 32 hexadecimal digits; undefined where the header is not there or not valid
 */
export const parseTraceId = (header: string | null): string | undefined =>
  header === null ? undefined : traceparent.exec(header)?.[1];
