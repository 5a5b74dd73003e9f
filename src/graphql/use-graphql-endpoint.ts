import type { Plugin } from 'graphql-yoga';
import { GatewayError, toGatewayError } from '../errors.ts';
import { graphqlPath, toRequestError } from '../http/error-answer.ts';
import { limitBody } from '../http/limit-body.ts';
import type { WithRecord } from '../observability/request-record.ts';
import { negotiateMediaType } from './negotiate.ts';
import { readBody, readQueryString } from './read-parameters.ts';

/**
 * Lets GraphQL requests through: on its exact path (Yoga goes by how the URL ends), GET and POST, of a bounded size,
 * and JSON. Every other path that reaches it is unknown. Of `Accept`, Yoga sees no more than the media type that was
 * chosen: its own choice repeats in the answer all that a client asks for, and has more media types than JSON's.
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
        request.headers.set('accept', negotiateMediaType(request.headers.get('accept')));
      } catch (error) {
        record.failure = toGatewayError(error);
        endResponse(toRequestError(record.failure, fetchAPI));
      }
    },
    onRequestParse: ({ request, requestParser, setRequestParser }) => {
      if (request.method === 'POST') setRequestParser(readBody);
      else if (requestParser) setRequestParser(readQueryString(requestParser));
    },
  };
}

function assertMethod(method: string): void {
  if (method === 'GET' || method === 'POST') return;
  throw new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: 'GET, HEAD, POST' },
  });
}
