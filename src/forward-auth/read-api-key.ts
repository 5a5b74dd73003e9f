import { readBearer } from '../http/bearer.ts';
import { invalidApiKey, noApiKey } from './refusals.ts';

/**
 * The API key of a request: in `Authorization: Bearer` or in `X-API-Key`. Another scheme is for somebody else.
 * @throws {GatewayError} `UNAUTHENTICATED` where there is none, or two that differ
 */
export function readApiKey(headers: Headers): string {
  const inHeaders = [readBearer(headers), headers.get('x-api-key')?.trim()];
  const [key, another = key] = inHeaders.filter((given) => given !== undefined);
  if (key === undefined) throw noApiKey();
  if (another !== key) throw invalidApiKey('ambiguous');
  return key;
}
