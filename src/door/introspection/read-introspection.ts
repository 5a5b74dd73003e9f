import { isClientAddress, mostUnits } from '../../api-keys/verify/verify-api-key.ts';
import { GatewayError } from '../../errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import { decodeText } from '../../http/read-request.ts';

/** A question about an API key, as an OAuth client asks it. */
export interface IntrospectionRequest {
  /** The API key: any text that a client sent. */
  readonly token: string;
  /** The units of the key's quota that the use costs. */
  readonly cost: number;
  /** The client's IP address; null if it was not sent. */
  readonly address: string | null;
}

const mediaType = 'application/x-www-form-urlencoded';

const invalidRequest = (message: string, cause?: unknown) =>
  new GatewayError('BAD_REQUEST', message, { cause });

const isForm = (contentType = ''): boolean => contentType.split(';')[0]?.trim().toLowerCase() === mediaType;

/** Decodes the bytes of a form, which are ASCII in a body that is right, and UTF-8 in one that is not. */
function decode(body: Uint8Array): string {
  try {
    return decodeText(body);
  } catch (cause) {
    throw invalidRequest('The body is not valid UTF-8', cause);
  }
}

/**
 * Reads the parameters of a form. An empty one counts as missing (RFC 6749, section 3.2).
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_REQUEST` if one is repeated
 */
function readForm({ headers, body }: Exchange): ReadonlyMap<string, string> {
  if (!body?.length) return new Map();
  if (!isForm(headers['content-type']))
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${mediaType}`, {
      // RFC 9110, section 12.5.1: what the body of a request may be.
      headers: { accept: mediaType },
    });
  const given = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(decode(body))) {
    if (seen.has(name)) throw invalidRequest('A parameter is repeated');
    seen.add(name);
    if (value !== '') given.set(name, value);
  }
  return given;
}

/**
 * Reads a question about an API key (RFC 7662, section 2.1). Parameters that it does not know are ignored, among them
 * `token_type_hint`.
 * @throws {GatewayError} `BAD_REQUEST`; `UNSUPPORTED_MEDIA_TYPE`
 */
export function readIntrospection(exchange: Exchange): IntrospectionRequest {
  const given = readForm(exchange);
  const token = given.get('token');
  if (token === undefined) throw invalidRequest('The parameter token is missing');
  const cost = given.get('cost') ?? '1';
  if (!/^\d{1,7}$/.test(cost) || Number(cost) > mostUnits)
    throw invalidRequest(`The parameter cost must be a whole number from 0 to ${mostUnits}`);
  const address = given.get('address') ?? null;
  if (address !== null && !isClientAddress(address))
    throw invalidRequest('The parameter address must be an IP address, without a zone');
  return { token, cost: Number(cost), address };
}
