import type { IncomingHttpHeaders } from 'node:http';
import { badUserInput, GatewayError } from '../errors.ts';
import type { Exchange, RequestHeaders } from './exchange.ts';

/**
 * Reads the header field `Authorization` (RFC 9110, section 11.4).
 * @returns the scheme in lower case, and what follows it; both are empty if the header field is missing
 */
export function credentialsOf({ authorization }: RequestHeaders) {
  const text = authorization?.trim() ?? '';
  const space = text.indexOf(' ');
  const scheme = space < 0 ? text : text.slice(0, space);
  return { scheme: scheme.toLowerCase(), text: text.slice(scheme.length).replace(/^ +/, '') };
}

/**
 * Reads the credentials of `Authorization: Bearer …` (RFC 6750, section 2.1).
 * @returns undefined if the header field is missing or has another scheme
 */
export function readBearer(headers: RequestHeaders): string | undefined {
  const { scheme, text } = credentialsOf(headers);
  return scheme === 'bearer' ? text : undefined;
}

/** The preconditions of a request (RFC 9110, section 13.1). */
export interface Conditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** The preconditions of a request; undefined if it has none. */
export function conditionsOf(headers: RequestHeaders): Conditions | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return ifMatch === undefined && ifNoneMatch === undefined ? undefined : { ifMatch, ifNoneMatch };
}

/** Whether a request has a body, though perhaps not here yet (RFC 9112, section 6.3). */
export const declaresBody = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

/** The default limit of a request body, in bytes. */
export const defaultBodyLimit = 64 * 1024;

/**
 * Refuses a request whose body is too large, compressed, or not in UTF-8. The listener has read the body before, or
 * seen that its declared length is too large.
 * @param limit the greatest size of the body, in bytes
 * @throws {GatewayError} `PAYLOAD_TOO_LARGE`; `UNSUPPORTED_MEDIA_TYPE`
 */
export function checkBody({ headers, body }: Pick<Exchange, 'headers' | 'body'>, limit: number): void {
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > limit || (body?.length ?? 0) > limit)
    throw new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes`);
  if (body?.length) checkEncoding(headers);
}

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

function checkEncoding({ 'content-encoding': coding = '', 'content-type': type = '' }: RequestHeaders): void {
  if (!/^(identity)?$/i.test(coding.trim()))
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed', {
      // RFC 9110, section 12.5.3.
      headers: { 'accept-encoding': 'identity' },
    });
  const [, given = 'utf-8'] = charset.exec(type) ?? [];
  if (!/^(utf-?8|us-ascii)$/i.test(given))
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be in UTF-8');
}

/** Whether a Content-Type is JSON, with any parameters. */
export const isJson = (contentType: string | null | undefined): boolean =>
  contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';

/** Keeps a byte order mark, so that the JSON parser refuses it. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Makes the error for a fault of the whole body. */
export const bodyIssue = (type: string, message: string, cause?: unknown): GatewayError =>
  badUserInput([{ path: [], message, type }], cause);

/**
 * Decodes the text of a JSON body, which must be UTF-8 (RFC 8259, section 8.1). Otherwise, the service would store an
 * altered text.
 * @throws {GatewayError} `BAD_USER_INPUT` if the bytes are not UTF-8
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw bodyIssue('json_invalid', 'The body is not valid UTF-8.', cause);
  }
}

/**
 * Parses a JSON body.
 * @throws {GatewayError} `BAD_USER_INPUT` if the text is not JSON
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw bodyIssue('json_invalid', 'The body is not valid JSON.', cause);
  }
}
