import { gzipSync } from 'node:zlib';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { WithAccessToken } from '../auth/caller.ts';
import { notAuthenticated } from '../auth/challenge.ts';
import { rootFieldNames } from '../auth/root-fields.ts';
import { acceptedCoding } from '../http/compressible.ts';
import type { Exchange } from '../http/exchange.ts';
import { RateCounts } from '../http/rate-limits/limiter.ts';
import { toGraphQLError } from './graphql-errors.ts';
import { lengthOfIntrospection } from './introspection-cost.ts';

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
 * The most bytes of an answer before it is compressed, as a multiple of its request's length. The usual introspection
 * of tools has 60 times the bytes of its query.
 */
const mostTimesPlain = 100;

/**
 * The most bytes of an answer before it is compressed, however long its request is: what a request is padded with must
 * not let its document cost more. The usual introspection has 130 kB.
 */
const mostPlain = 200_000;

/**
 * The rate of introspection without a token, in one process: whatever such a caller sends, it takes no more than a
 * quarter of a core.
 */
const rate = { requests: 10, seconds: 1 };

/** The longest document that is not counted, in characters, if it selects nothing but `__typename`: health checks do. */
const longestProbe = 100;

type Context = WithAccessToken & Pick<Exchange, 'headers'>;

/** The context in which a document is parsed. */
interface Parsing extends Context {
  readonly request: Request;
  readonly params: GraphQLParams;
}

const isProbe = (document: DocumentNode, operation: OperationDefinitionNode): boolean =>
  (document.loc?.end ?? Number.POSITIVE_INFINITY) <= longestProbe &&
  rootFieldNames(document, operation).every((name) => name === TypeNameMetaFieldDef.name);

const accepts = (headers: Exchange['headers']): boolean => acceptedCoding(headers, ['gzip']) === 'gzip';

/**
 * Answers introspection also for callers without a token, if the configuration allows it. Such an answer is at most
 * 20 times as long as its request, so that nobody can misuse this service to flood somebody else. The answer is
 * compressed if the client accepts that. A longer answer needs a token, and so does one above the rate. Most of what
 * is refused is refused before it is validated or run.
 *
 * The hooks belong to Yoga: a request without a token always takes the whole way, also with a known document.
 */
export function useIntrospection(schema: GraphQLSchema, isOpen: boolean): Plugin<Context, Context> {
  const counts = new RateCounts('introspection');

  const admit = (document: DocumentNode, { headers, request, params }: Parsing): void => {
    const operation = getOperationAST(document, params.operationName);
    if (operation && isProbe(document, operation)) return;
    if (counts.use('', rate).isRefused) throw notAuthenticated('introspection-rate');
    if (!operation) return;
    const most = Math.min((accepts(headers) ? mostTimesPlain : mostTimes) * lengthOf(request), mostPlain);
    if (lengthOfIntrospection(schema, operation, document, params.variables, most) > most)
      throw notAuthenticated('introspection-length');
  };

  return {
    onParse:
      () =>
      ({ context, result }) => {
        // Without a token, only introspection comes here: other operations are already refused.
        if (!context.accessToken && !(result instanceof Error)) admit(result, context as unknown as Parsing);
      },
    onValidate: ({ addValidationRule }) => {
      if (!isOpen) addValidationRule(NoSchemaIntrospectionCustomRule);
    },
    onResultProcess: ({ request, result, setResult, resultProcessor, setResultProcessor, serverContext }) => {
      // Without a token, only introspection has data.
      if (serverContext.accessToken || !(result as ExecutionResult).data) return;
      const text = Buffer.from(JSON.stringify(result));
      const isCompressed = accepts(serverContext.headers);
      const body = isCompressed ? gzipSync(text) : text;
      if (body.length > mostTimes * lengthOf(request))
        setResult({ errors: [toGraphQLError(notAuthenticated('introspection-length'))] });
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
