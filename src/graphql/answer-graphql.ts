import { Request } from '@whatwg-node/fetch';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin, YogaServer } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { GatewayError, toGatewayError } from '../errors.ts';
import { type Answer, type Exchange, graphqlPath, type Handler, jsonAnswer } from '../http/exchange.ts';
import { checkBody, decodeText, isJson } from '../http/read-request.ts';
import { documentIdName, type FindKnown } from './kept-documents.ts';
import type { WithRun } from './run-operation.ts';

/**
 * Answers GraphQL requests: GET and POST, with JSON bodies of a limited size. A POST of a known document is run here;
 * Yoga answers all others, and all that fail. Yoga sees only the chosen media type in `Accept`. Otherwise Yoga's own
 * choice would repeat all of the client's `Accept` in the answer, and would allow media types other than JSON's.
 * @param find finds known documents
 * @param bodyLimit the most bytes of a body
 */
export const answerGraphql =
  (yoga: Pick<YogaServer<object, object>, 'handle'>, find: FindKnown, bodyLimit: number): Handler =>
  async (exchange: Exchange & WithParams & WithRun) => {
    exchange.record.route = graphqlPath;
    assertMethod(exchange.method);
    checkBody(exchange, bodyLimit);
    const mediaType = negotiateMediaType(exchange.headers['accept']);
    const params = readPost(exchange);
    const running = params && find(params, exchange)?.();
    if (running) {
      const result = await running.catch(() => undefined);
      if (result && !result.errors) return jsonAnswer(result, 200, contentTypes[mediaType]);
      exchange.running = running;
    }
    exchange.read = params;
    // A server adapter would add more to the context, but nothing here needs it.
    return toAnswer(await yoga.handle(toRequest(exchange, mediaType), exchange as never));
  };

/** The context of a request whose parameters are read. */
interface WithParams {
  read?: GraphQLParams | undefined;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);

/** Whether the parameters of a request have the types that GraphQL gives them, and there are no others. */
function isPlain(params: unknown): params is GraphQLParams {
  if (params === null || !isObject(params)) return false;
  const { query, operationName, variables, extensions, ...others } = params as Record<string, unknown>;
  return (
    ['string', 'undefined'].includes(typeof query) &&
    [variables, extensions].every((value) => value === undefined || isObject(value)) &&
    (operationName === undefined || operationName === null || typeof operationName === 'string') &&
    Object.keys(others).every((name) => name === documentIdName)
  );
}

/**
 * Reads the parameters of a plain POST.
 * @returns undefined for any other request; Yoga reads it, or says what is wrong with it
 */
function readPost({ method, headers, body }: Exchange): GraphQLParams | undefined {
  if (method !== 'POST' || !body || !isJson(headers['content-type'])) return undefined;
  try {
    const params: unknown = JSON.parse(decodeText(body));
    return isPlain(params) ? params : undefined;
  } catch {
    return undefined;
  }
}

/** Converts a request to Yoga's form. */
function toRequest({ method, query, headers, body }: Exchange, accept: MediaType): Request {
  return new Request(`http://${headers['host']}${graphqlPath}${query && `?${query}`}`, {
    method,
    headers: {
      ...(headers as Record<string, string>),
      accept,
      // A body that arrived in chunks has no Content-Length yet.
      ...(body && { 'content-length': `${body.length}` }),
    },
    ...(body && { body: body as Uint8Array<ArrayBuffer> }),
  });
}

/** Converts Yoga's answer. The body is text, unless it is compressed. */
async function toAnswer(response: Response): Promise<Answer> {
  const headers: Answer['headers'] = {};
  response.headers.forEach((value, name) => {
    headers[name] = value;
  });
  // Does not read `response.body`: that would turn the body into a stream.
  const body = await (headers['content-encoding'] ? response.bytes() : response.text());
  return { status: response.status, headers, body };
}

function assertMethod(method: string): void {
  if (method === 'GET' || method === 'POST') return;
  throw new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: 'GET, HEAD, POST' },
  });
}

/** The media types of an answer (GraphQL over HTTP, section 4). The first is for clients without a preference. */
const contentTypes = {
  'application/json': { 'content-type': 'application/json; charset=utf-8' },
  'application/graphql-response+json': { 'content-type': 'application/graphql-response+json; charset=utf-8' },
} as const;

/** A media type of an answer. */
type MediaType = keyof typeof contentTypes;

const mediaTypes = Object.keys(contentTypes) as MediaType[];

const typesByContentType = new Map<string, MediaType>(
  mediaTypes.map((mediaType) => [contentTypes[mediaType]['content-type'], mediaType]),
);

/**
 * Chooses the media type for an Accept header.
 * @throws {GatewayError} `NOT_ACCEPTABLE`
 */
function choose(accept: string): MediaType {
  const best = new Negotiator({ headers: { accept } }).mediaType([...typesByContentType.keys()]);
  const mediaType = typesByContentType.get(best ?? '');
  if (mediaType) return mediaType;
  throw new GatewayError('NOT_ACCEPTABLE', `The answer can be ${mediaTypes.join(' or ')}`);
}

/** Remembers earlier choices, because clients send only a few different headers. */
const choices = new LRUCache<string, MediaType>({ max: 100, memoMethod: choose });

/**
 * Chooses the media type of the answer to a GraphQL request (RFC 9110, section 12.5.1): the one with the greatest
 * weight, and with equal weights the first one.
 * @param accept the Accept header; undefined if missing
 * @throws {GatewayError} `NOT_ACCEPTABLE` if the client accepts neither media type
 */
export const negotiateMediaType = (accept: string | undefined): MediaType => choices.memo(accept || '*/*');

/** Makes Yoga read the parameters of a request with this service's parsers. */
export const useRequestParsers = (): Plugin<object, WithParams> => ({
  onRequestParse: ({ request, requestParser, setRequestParser, serverContext: { read } }) => {
    if (read) setRequestParser(() => read);
    else if (request.method === 'POST') setRequestParser(readBody);
    else if (requestParser) setRequestParser(readQueryString(requestParser));
  },
});

/** A function that reads the parameters of a request for Yoga. */
type RequestParser = Parameters<Parameters<NonNullable<Plugin['onRequestParse']>>[0]['setRequestParser']>[0];

/**
 * Reads the body of a POST. Yoga's own parser would decode bytes that are not UTF-8 as other characters, and would
 * repeat a body that is not JSON in the answer.
 * @returns the parameters, or a list of parameters, which Yoga refuses
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_REQUEST` if the body is no JSON object
 * @throws {GraphQLError} `BAD_USER_INPUT` if the body is not UTF-8
 */
const readBody: RequestParser = async (request) => {
  if (!isJson(request.headers.get('content-type'))) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  const parameters = parseJson(decodeBytes(await request.bytes()));
  if (typeof parameters === 'object' && parameters !== null) return parameters as GraphQLParams;
  throw badRequest('The body must be a JSON object');
};

/**
 * Reads a query string with Yoga's parser, and adds the document id, which Yoga's parser ignores.
 * @throws {GatewayError} `BAD_REQUEST` if the variables or extensions are not JSON
 */
const readQueryString =
  (parse: RequestParser): RequestParser =>
  (request) => {
    try {
      const id = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1)).get(documentIdName);
      return { ...parse(request), ...(id !== null && { [documentIdName]: id }) };
    } catch (cause) {
      throw badRequest('The variables or extensions are not valid JSON', cause);
    }
  };

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badRequest('The body is not valid JSON', cause);
  }
};

const badRequest = (message: string, cause?: unknown) => new GatewayError('BAD_REQUEST', message, { cause });

/** The refusal comes before any operation runs, so the status is 422 in `application/json` as well. */
const asUnprocessable = (error: unknown): GraphQLError => {
  const { message, code, issues, status } = toGatewayError(error);
  return new GraphQLError(message, { extensions: { code, issues, http: { status } } });
};

const decodeBytes = (bytes: Uint8Array): string => {
  try {
    return decodeText(bytes);
  } catch (error) {
    throw asUnprocessable(error);
  }
};
