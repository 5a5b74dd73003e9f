import { GatewayError } from '../errors.ts';

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
