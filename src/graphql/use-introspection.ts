import { gzipSync } from 'node:zlib';
import { type ExecutionResult, NoSchemaIntrospectionCustomRule } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { WithAccessToken } from '../auth/caller.ts';
import { notAuthenticated } from '../auth/challenge.ts';
import { acceptedCoding } from '../http/compressible.ts';
import type { Exchange } from '../http/exchange.ts';
import { toGraphQLError } from './graphql-errors.ts';

/** The greatest length of an answer without a token, as a multiple of its request's length. */
const mostTimes = 20;

/**
 * The length of a request in bytes: its target, its headers and its body. The body of a GET does not count: the
 * service never reads it, so the client need not send what `Content-Length` declares.
 */
const lengthOf = ({ method, url, headers }: Request): number => {
  let length = url.length + (method === 'POST' ? Number(headers.get('content-length') ?? 0) : 0);
  headers.forEach((value, name) => {
    length += name.length + value.length + 4;
  });
  return length;
};

/**
 * Answers introspection also for callers without a token, if the configuration allows it. Such an answer is at most
 * 20 times as long as its request, so that nobody can misuse this service to flood somebody else. The answer is
 * compressed if the client accepts that. A longer answer needs a token.
 */
export function useIntrospection(
  isOpen: boolean,
): Plugin<object, WithAccessToken & Pick<Exchange, 'headers'>> {
  return {
    onValidate: ({ addValidationRule }) => {
      if (!isOpen) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onResultProcess: ({ request, result, setResult, resultProcessor, setResultProcessor, serverContext }) => {
      // Without a token, only introspection has data.
      if (serverContext.accessToken || !(result as ExecutionResult).data) return;
      const text = Buffer.from(JSON.stringify(result));
      const isCompressed = acceptedCoding(serverContext.headers, ['gzip']) === 'gzip';
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

/** Makes a result processor that answers like another processor, but with this body. */
const compressed =
  (body: Buffer<ArrayBuffer>, process: ResultProcessor): ResultProcessor =>
  async (result, fetchAPI, mediaType) => {
    const { status, headers } = await process(result, fetchAPI, mediaType);
    headers.delete('content-length');
    headers.set('content-encoding', 'gzip');
    headers.append('vary', 'Accept-Encoding');
    return new fetchAPI.Response(body, { status, headers });
  };
