import type { Plugin } from 'graphql-yoga';
import type { GatewayError } from '../errors.ts';
import type { RequestPayload } from '../http/request-hooks.ts';
import type { RequestRecord, WithRecord } from '../observability/request-record.ts';
import { readApiKey } from './read-api-key.ts';
import { invalidApiKey } from './refusals.ts';

/** Where proxies ask. Envoy appends the path that it was asked for. */
const path = '/api/v1/keys/authorize';

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
 * @param translate turns any error into a GatewayError
 * @param count counts a request with a key, and throws where it is one too many
 */
export function useForwardAuth<Context extends WithRecord>(
  verify: (secret: string, record: RequestRecord) => Promise<Verification>,
  translate: (error: unknown) => GatewayError,
  count?: (keyId: string, context: Context) => void,
): Plugin<Context, Context> {
  const authorize = async (headers: Headers, context: Context) => {
    const { reason, keyId, userId } = await verify(readApiKey(headers), context.record);
    if (reason !== null) throw invalidApiKey(reason);
    count?.(`${keyId}`, context);
    return { 'x-keyward-user': `${userId}`, 'x-keyward-key': `${keyId}` };
  };

  const answer = async ({ request, endResponse, serverContext, fetchAPI }: RequestPayload<Context>) => {
    const { record } = serverContext;
    record.route = path;
    try {
      endResponse(new fetchAPI.Response(null, { headers: await authorize(request.headers, serverContext) }));
    } catch (error) {
      record.failure = translate(error);
      const { message, status, headers } = record.failure;
      endResponse(fetchAPI.Response.json({ detail: message }, { status, headers }));
    }
  };

  return {
    onRequest: (payload) => {
      const { pathname } = payload.url;
      return pathname === path || pathname.startsWith(`${path}/`) ? answer(payload) : undefined;
    },
  };
}
