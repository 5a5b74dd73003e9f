import type { Plugin, YogaServer } from 'graphql-yoga';
import { GatewayError } from '../errors.ts';
import { graphqlPath } from '../http/answers.ts';
import type { Handler } from '../http/exchange.ts';
import { limitBody } from '../http/read-request.ts';
import { negotiateMediaType } from './negotiate.ts';
import { readBody, readQueryString } from './read-parameters.ts';

/**
 * Answers GraphQL requests by Yoga: GET and POST, of a bounded size, and JSON. Of `Accept`, Yoga sees no more than the
 * media type that was chosen: its own choice repeats in the answer all that a client asks for, and has more media types
 * than JSON's.
 * @param bodyLimit the most bytes of a body
 */
export const answerGraphql =
  (yoga: Pick<YogaServer<object, object>, 'handle'>, bodyLimit: number): Handler =>
  async (exchange) => {
    const { request, record } = exchange;
    record.route = graphqlPath;
    assertMethod(request.method);
    limitBody(request, bodyLimit);
    request.headers.set('accept', negotiateMediaType(request.headers.get('accept')));
    // What a server adapter would add, nothing here asks for.
    return yoga.handle(request, exchange as never);
  };

/** Has Yoga read what a request asks for by this service's parsers. */
export const useRequestParsers = (): Plugin => ({
  onRequestParse: ({ request, requestParser, setRequestParser }) => {
    if (request.method === 'POST') setRequestParser(readBody);
    else if (requestParser) setRequestParser(readQueryString(requestParser));
  },
});

function assertMethod(method: string): void {
  if (method === 'GET' || method === 'POST') return;
  throw new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: 'GET, HEAD, POST' },
  });
}
