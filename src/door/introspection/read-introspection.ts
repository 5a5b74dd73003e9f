import { isClientAddress, mostUnits } from '../../api-keys/verify/verify-api-key.ts';
import type { Exchange } from '../../http/exchange.ts';
import { invalidRequest, readForm, required } from '../oauth/form.ts';

/** A question about an API key, as an OAuth client asks it. */
export interface IntrospectionRequest {
  /** The API key: any text that a client sent. */
  readonly token: string;
  /** The units of the key's quota that the use costs. */
  readonly cost: number;
  /** The client's IP address; null if it was not sent. */
  readonly address: string | null;
}

/**
 * Reads a question about an API key (RFC 7662, section 2.1). Parameters that it does not know are ignored, among them
 * `token_type_hint`.
 * @throws {GatewayError} `BAD_REQUEST`; `UNSUPPORTED_MEDIA_TYPE`
 */
export function readIntrospection(exchange: Exchange): IntrospectionRequest {
  const form = readForm(exchange);
  const token = required(form, 'token');
  const cost = form.get('cost') ?? '1';
  if (!/^\d{1,7}$/.test(cost) || Number(cost) > mostUnits)
    throw invalidRequest(`The parameter cost must be a whole number from 0 to ${mostUnits}`);
  const address = form.get('address');
  if (address !== null && !isClientAddress(address))
    throw invalidRequest('The parameter address must be an IP address, without a zone');
  return { token, cost: Number(cost), address };
}
