import type { Plugin } from 'graphql-yoga';
import type { WithRecord } from '../observability/request-record.ts';
import { realm } from './challenge.ts';
import { scopeDescriptions } from './scopes.ts';

const path = '/.well-known/oauth-protected-resource';

/**
 * Tells a client where to get a token, and for which scopes (RFC 9728): a document at its well-known path, and its
 * address in every challenge.
 * @param publicUrl the URL by which clients reach this service
 * @param issuers the authorization servers whose tokens are accepted
 */
export function useResourceMetadata(
  publicUrl: string,
  issuers: readonly string[],
): Plugin<WithRecord, WithRecord> {
  const metadata = JSON.stringify({
    resource: publicUrl,
    resource_name: 'Keyward',
    authorization_servers: issuers,
    scopes_supported: Object.keys(scopeDescriptions),
    bearer_methods_supported: ['header'],
  });
  const parameter = `, resource_metadata="${publicUrl}${path}"`;
  return {
    onRequest: ({ request, url, endResponse, fetchAPI, serverContext: { record } }) => {
      if (url.pathname !== path) return;
      record.route = path;
      const isRead = request.method === 'GET';
      endResponse(
        isRead
          ? new fetchAPI.Response(metadata, { headers: { 'content-type': 'application/json' } })
          : fetchAPI.Response.json(
              { detail: 'Method Not Allowed' },
              { status: 405, headers: { allow: 'GET, HEAD' } },
            ),
      );
    },
    onResponse: ({ response: { headers } }) => {
      const challenge = headers.get('www-authenticate');
      // Those of another realm are not about access tokens.
      if (challenge?.startsWith(`Bearer realm="${realm}"`))
        headers.set('www-authenticate', challenge + parameter);
    },
  };
}
