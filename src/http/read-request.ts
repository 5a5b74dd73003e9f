import { badUserInput, GatewayError } from '../errors.ts';
import type { Exchange, RequestHeaders } from './exchange.ts';

/**
 * What follows the scheme in `Authorization: Bearer …` (RFC 6750, section 2.1).
 * @returns undefined where there is none, another scheme included
 */
export function readBearer({ authorization }: RequestHeaders): string | undefined {
  const text = authorization?.trim() ?? '';
  const space = text.indexOf(' ');
  const scheme = space < 0 ? text : text.slice(0, space);
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  return text.slice(scheme.length).replace(/^ +/, '');
}

/** The largest request body, in bytes, where nothing else is configured. */
export const defaultBodyLimit = 64 * 1024;

/**
 * Refuses a request whose body is too large. The listener has read it, or seen that it need not.
 * @param limit the most bytes that it may have
 * @throws {GatewayError} `PAYLOAD_TOO_LARGE`
 */
export function limitBody({ headers, body }: Pick<Exchange, 'headers' | 'body'>, limit: number): void {
  const declared = Number(headers['content-length'] ?? 0);
  if (declared <= limit && (body?.length ?? 0) <= limit) return;
  throw new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes`);
}

/** Whether a Content-Type is JSON, whatever its parameters. */
export const isJson = (contentType: string | null | undefined): boolean =>
  contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';

/** A byte order mark is kept: JSON has none. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What is wrong with a body as a whole. */
export const bodyIssue = (type: string, message: string, cause?: unknown): GatewayError =>
  badUserInput([{ path: [], message, type }], cause);

/**
 * The text of a body that is to be JSON, and so UTF-8 (RFC 8259, section 8.1): other bytes would be stored altered.
 * @throws {GatewayError} `BAD_USER_INPUT` where it is not UTF-8
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw bodyIssue('json_invalid', 'The body is not valid UTF-8.', cause);
  }
}

/** @throws {GatewayError} `BAD_USER_INPUT` where it is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw bodyIssue('json_invalid', 'The body is not valid JSON.', cause);
  }
}
