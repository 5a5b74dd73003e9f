import { gzipSync } from 'node:zlib';
import { type ExecutionResult, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { WithAccessToken } from '../auth/caller.ts';
import { notAuthenticated } from '../auth/challenge.ts';
import { takesCoding } from '../http/compressible.ts';
import type { Exchange } from '../http/exchange.ts';
import { toGraphQLError } from './graphql-errors.ts';

/** How many times as long as its request an answer may be that anybody may have. */
const mostTimes = 20;

/**
 * How long a request is, in bytes: its target, its headers and its body. A GET's body is not read, and so need never
 * be sent: what its `Content-Length` says is no length.
 */
const lengthOf = ({ method, url, headers }: Request): number => {
  let length = url.length + (method === 'POST' ? Number(headers.get('content-length') ?? 0) : 0);
  headers.forEach((value, name) => {
    length += name.length + value.length + 4;
  });
  return length;
};

/**
 * Answers introspection to callers without a token too, where it is open. Such an answer is at most 20 times as long
 * as its request, so that nobody can aim this service at somebody else; it is compressed where the client takes that.
 * A longer one needs a token.
 */
export function useIntrospection(
  isOpen: boolean,
): Plugin<object, WithAccessToken & Pick<Exchange, 'headers'>> {
  return {
    onValidate: ({ addValidationRule }) => {
      if (!isOpen) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onResultProcess: ({ request, result, setResult, resultProcessor, setResultProcessor, serverContext }) => {
      // Without a token, nothing else has data.
      if (serverContext.accessToken || !(result as ExecutionResult).data) return;
      const text = Buffer.from(JSON.stringify(result));
      const isCompressed = takesCoding(serverContext.headers, 'gzip');
      const body = isCompressed ? gzipSync(text) : text;
      if (body.length > mostTimes * lengthOf(request))
        setResult({ errors: [toGraphQLError(notAuthenticated())] });
      else if (isCompressed && resultProcessor)
        setResultProcessor(compressed(body, resultProcessor), request.headers.get('accept') ?? '');
    },
  };
}

type ResultProcessor = Parameters<
  Parameters<NonNullable<Plugin['onResultProcess']>>[0]['setResultProcessor']
>[0];

/** Answers as another processor does, with this body in place of its own. */
const compressed =
  (body: Buffer<ArrayBuffer>, process: ResultProcessor): ResultProcessor =>
  async (result, fetchAPI, mediaType) => {
    const { status, headers } = await process(result, fetchAPI, mediaType);
    headers.delete('content-length');
    headers.set('content-encoding', 'gzip');
    headers.append('vary', 'Accept-Encoding');
    return new fetchAPI.Response(body, { status, headers });
  };
