import { GatewayError } from '../errors.ts';

/** The largest request body, in bytes. */
export const maximumBytes = 64 * 1024;

/**
 * Refuses a request whose body is larger than 64 KiB. `serve` has read it, or seen that it need not.
 * @throws {GatewayError} `PAYLOAD_TOO_LARGE`
 */
export function limitBody({ headers }: Request): void {
  if (Number(headers.get('content-length')) <= maximumBytes) return;
  throw new GatewayError('PAYLOAD_TOO_LARGE', `The body is larger than ${maximumBytes} bytes`);
}
