import type { IncomingHttpHeaders } from 'node:http';
import type { CallerRequest } from './types.ts';

/** The values of a header field, named in lower case: several only if Node has received several. */
export function valuesOf({ headers, rawHeaders = [] }: CallerRequest, name: string): readonly string[] {
  const raw = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  // What came before in the application may have set or removed a field that was there once.
  if (raw.length > 1) return raw;
  const value =
    typeof headers.get === 'function' ? headers.get(name) : (headers as IncomingHttpHeaders)[name];
  return [value ?? []].flat();
}

/** The different texts among values. One value has several if somebody has joined several fields with commas. */
export const differing = (values: readonly string[], comma: RegExp): readonly string[] => [
  ...new Set(values.flatMap((value) => value.split(comma)).map((text) => text.trim())),
];

/** What follows `Bearer` (RFC 6750, section 2.1). Undefined if there is no such field, empty if there are several. */
export function readBearer(request: CallerRequest): string | undefined {
  const [text = '', another] = differing(valuesOf(request, 'authorization'), /,\s*(?=bearer )/i);
  return another === undefined ? /^bearer(?: +|$)(.*)/is.exec(text)?.[1] : '';
}

/**
 * Reads the API key of a request, from `X-API-Key` or `Authorization: Bearer`.
 * @returns undefined if there is none; empty, which no key is, if there are two different ones
 */
export function readKey(request: CallerRequest): string | undefined {
  const [key, ...others] = new Set([
    ...differing(valuesOf(request, 'x-api-key'), /, /),
    ...[readBearer(request) ?? []].flat(),
  ]);
  return others.length > 0 ? '' : key;
}

/** Reads an IP address, without its zone. Undefined if the text is none: a client may have sent it to a proxy. */
export function readAddress(text: string | undefined): string | undefined {
  const [address = ''] = typeof text === 'string' ? text.split('%') : [];
  // An IPv4 address may be the end of an IPv6 address, which a URL can have.
  const end = /^\d+\./.test(address) ? `::${address}` : address;
  return /^[\da-f:.]+$/i.test(end) && URL.canParse(`http://[${end}]`) ? address : undefined;
}
