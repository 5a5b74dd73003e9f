import { readBearer } from '../http/read-request.ts';
import { invalidToken } from './challenge.ts';

/** The longest token that is looked at, in characters. */
const maximumLength = 8192;

/**
 * The bearer token of a request; it is accepted in the Authorization header alone.
 * @returns undefined where there is none
 * @throws {GatewayError} `UNAUTHENTICATED` where it is too long to be looked at
 */
export function readBearerToken(headers: Headers): string | undefined {
  const token = readBearer(headers);
  if (token !== undefined && token.length > maximumLength) throw invalidToken('too-long');
  return token;
}
