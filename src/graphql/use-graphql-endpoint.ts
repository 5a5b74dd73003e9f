import type { Plugin } from 'graphql-yoga';
import { GatewayError, toGatewayError } from '../errors.ts';
import { graphqlPath, toRequestError } from '../http/error-answer.ts';
import { limitBody } from '../http/limit-body.ts';
import { isJson } from '../http/media-type.ts';
import type { WithRecord } from '../observability/request-record.ts';

/**
 * Lets GraphQL requests through: on its exact path (Yoga goes by how the URL ends), GET and POST, of a bounded size,
 * and JSON. Every other path that reaches it is unknown.
 * @param bodyLimit the most bytes of a body
 */
export function useGraphqlEndpoint(bodyLimit: number): Plugin<WithRecord, WithRecord> {
  return {
    onRequest: ({ request, url, endResponse, fetchAPI, serverContext: { record } }) => {
      if (url.pathname !== graphqlPath) {
        return endResponse(fetchAPI.Response.json({ detail: 'Not Found' }, { status: 404 }));
      }
      record.route = graphqlPath;
      try {
        assertMethod(request.method);
        limitBody(request, bodyLimit);
      } catch (error) {
        record.failure = toGatewayError(error);
        endResponse(toRequestError(record.failure, fetchAPI));
      }
    },
    onRequestParse: ({ request, setRequestParser }) => {
      if (request.method !== 'POST' || isJson(request.headers.get('content-type'))) return;
      setRequestParser(() => {
        throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
      });
    },
  };
}

function assertMethod(method: string): void {
  if (method === 'GET' || method === 'POST') return;
  throw new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: 'GET, HEAD, POST' },
  });
}
