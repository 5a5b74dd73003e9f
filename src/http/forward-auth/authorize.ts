import { Response } from '@whatwg-node/fetch';
import { GatewayError } from '../../errors.ts';
import { readBearer } from '../bearer.ts';
import type { Exchange, Handler } from '../exchange.ts';

// A realm of its own: what Keyward says of access tokens (RFC 9728) does not hold for API keys.
const challenge = (error: string) => ({ 'www-authenticate': `Bearer realm="api"${error}` });

/** No API key at all: a challenge without an error (RFC 6750, section 3.1). */
const noApiKey = () =>
  new GatewayError('UNAUTHENTICATED', 'Not authenticated', { headers: challenge(''), reason: 'no-api-key' });

/**
 * An API key that will not do: one answer whatever is wrong with it.
 * @param reason what is wrong, for the log alone
 */
const invalidApiKey = (reason: string) =>
  new GatewayError('UNAUTHENTICATED', 'Could not validate credentials', {
    headers: challenge(', error="invalid_token"'),
    reason: `api-key-${reason.replaceAll('_', '-')}`,
  });

/** Where proxies ask. Envoy appends the path that it was asked for. */
export const authorizePath = '/api/v1/keys/authorize';

/** What is asked of a verification: whose key it is, or why it lets nobody in. */
interface Verification {
  readonly reason: string | null;
  readonly keyId: number | null;
  readonly userId: number | null;
}

/**
 * Answers a proxy that asks whether to let a request pass (nginx calls it `auth_request`, Traefik ForwardAuth, Envoy
 * `ext_authz`): by the API key that it carries, whatever its method and body. 200 tells whose key it is in
 * `X-Keyward-User` and `X-Keyward-Key`; anything else means no.
 * @param verify verifies the secret of an API key
 * @param count counts a request with a key, and throws where it is one too many
 */
export const authorize =
  (
    verify: (secret: string, exchange: Exchange) => Promise<Verification>,
    count?: (keyId: string, exchange: Exchange) => void,
  ): Handler =>
  async (exchange) => {
    exchange.record.route = authorizePath;
    const { reason, keyId, userId } = await verify(readApiKey(exchange.request.headers), exchange);
    if (reason !== null) throw invalidApiKey(reason);
    count?.(`${keyId}`, exchange);
    return new Response(null, { headers: { 'x-keyward-user': `${userId}`, 'x-keyward-key': `${keyId}` } });
  };

/**
 * The API key of a request: in `Authorization: Bearer` or in `X-API-Key`. Another scheme is for somebody else.
 * @throws {GatewayError} `UNAUTHENTICATED` where there is none, or two that differ
 */
function readApiKey(headers: Headers): string {
  const inHeaders = [readBearer(headers), headers.get('x-api-key')?.trim()];
  const [key, another = key] = inHeaders.filter((given) => given !== undefined);
  if (key === undefined) throw noApiKey();
  if (another !== key) throw invalidApiKey('ambiguous');
  return key;
}
