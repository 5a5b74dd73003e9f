import { badUserInput, GatewayError } from '../errors.ts';

/** The largest request body, in bytes, where nothing else is configured. */
export const defaultBodyLimit = 64 * 1024;

/**
 * Refuses a request whose body is too large. `fetchListener` has read it, or seen that it need not.
 * @param limit the most bytes that it may have
 * @throws {GatewayError} `PAYLOAD_TOO_LARGE`
 */
export function limitBody({ headers }: Request, limit: number): void {
  if (Number(headers.get('content-length')) <= limit) return;
  throw new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes`);
}

/** Whether a Content-Type is JSON, whatever its parameters. */
export const isJson = (contentType: string | null): boolean =>
  contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';

/** A byte order mark is kept: JSON has none. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of a body that is to be JSON, and so UTF-8 (RFC 8259, section 8.1): other bytes would be stored altered.
 * @throws {GatewayError} `BAD_USER_INPUT` where it is not UTF-8
 */
export async function readText(request: Request): Promise<string> {
  const bytes = await request.bytes();
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw badUserInput([{ path: [], message: 'The body is not valid UTF-8.', type: 'json_invalid' }], cause);
  }
}
