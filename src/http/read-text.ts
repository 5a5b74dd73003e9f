import { badUserInput } from '../errors.ts';

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
