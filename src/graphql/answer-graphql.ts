import { Request } from '@whatwg-node/fetch';
import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin, YogaServer } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { GatewayError, toGatewayError } from '../errors.ts';
import { graphqlPath } from '../http/answers.ts';
import type { Answer, Exchange, Handler } from '../http/exchange.ts';
import { decodeText, isJson, limitBody } from '../http/read-request.ts';
import { documentIdName } from './kept-documents.ts';

/**
 * Answers GraphQL requests by Yoga: GET and POST, of a bounded size, and JSON. Of `Accept`, Yoga sees no more than the
 * media type that was chosen: its own choice repeats in the answer all that a client asks for, and has more media types
 * than JSON's.
 * @param bodyLimit the most bytes of a body
 */
export const answerGraphql =
  (yoga: Pick<YogaServer<object, object>, 'handle'>, bodyLimit: number): Handler =>
  async (exchange) => {
    exchange.record.route = graphqlPath;
    assertMethod(exchange.method);
    limitBody(exchange, bodyLimit);
    // What a server adapter would add, nothing here asks for.
    return toAnswer(await yoga.handle(toRequest(exchange), exchange as never));
  };

/** The request as Yoga takes it. */
function toRequest({ method, query, headers, body }: Exchange): Request {
  const accept = negotiateMediaType(headers['accept']);
  return new Request(`http://${headers['host']}${graphqlPath}${query && `?${query}`}`, {
    method,
    headers: {
      ...(headers as Record<string, string>),
      accept,
      // A body may have come in chunks.
      ...(body && { 'content-length': `${body.length}` }),
    },
    ...(body && { body: body as Uint8Array<ArrayBuffer> }),
  });
}

/** What Yoga answers; its body is text, unless it was compressed. */
async function toAnswer(response: Response): Promise<Answer> {
  const headers: Answer['headers'] = {};
  response.headers.forEach((value, name) => {
    headers[name] = value;
  });
  // Not by its `body`, which would be made into a stream.
  const body = await (headers['content-encoding'] ? response.bytes() : response.text());
  return { status: response.status, headers, body };
}

function assertMethod(method: string): void {
  if (method === 'GET' || method === 'POST') return;
  throw new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: 'GET, HEAD, POST' },
  });
}

/** The media types of an answer (GraphQL over HTTP, section 4); the first is for clients that do not mind. */
const mediaTypes = ['application/json', 'application/graphql-response+json'] as const;

/** A media type of an answer. */
type MediaType = (typeof mediaTypes)[number];

/** An entry of an Accept header that is about one of them. */
interface MediaRange {
  readonly type: string;
  readonly weight: number;
  /** Where it stands in the header. */
  readonly position: number;
}

const mediaRange = /(?<=^|,)(\*\/\*|application\/(?:\*|json|graphql-response\+json))((?:;[^,;]*)*)(?=,|$)/g;

/** The weight of an entry, which is 1 unless it says another. */
const weightOf = (parameters: readonly string[]): number => {
  const weight = Number.parseFloat(parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1');
  return Number.isNaN(weight) ? 1 : weight;
};

/** Answers are UTF-8: an entry that wants another charset is about none of them. */
const isUtf8 = (parameters: readonly string[]): boolean =>
  parameters.every((each) => !each.startsWith('charset=') || each === 'charset=utf-8');

const parseAccept = (accept: string): MediaRange[] =>
  [...accept.replace(/\s/g, '').toLowerCase().matchAll(mediaRange)].flatMap(
    ({ 1: type = '', 2: rest = '', index: position }) => {
      const parameters = rest.split(';');
      return isUtf8(parameters) ? { type, weight: weightOf(parameters), position } : [];
    },
  );

/** What the ranges say of a media type: the most exact one its weight, the first one its position. */
function preferenceFor(mediaType: MediaType, ranges: readonly MediaRange[]) {
  const named = [mediaType, 'application/*', '*/*'].flatMap(
    (type) => ranges.find((range) => range.type === type) ?? [],
  );
  const position = Math.min(...named.map((range) => range.position));
  return { mediaType, weight: named[0]?.weight ?? 0, position };
}

/** @throws {GatewayError} `NOT_ACCEPTABLE` */
function choose(accept: string): MediaType {
  const ranges = parseAccept(accept);
  const [best] = mediaTypes
    .map((mediaType) => preferenceFor(mediaType, ranges))
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.position - b.position);
  if (best) return best.mediaType;
  throw new GatewayError('NOT_ACCEPTABLE', `The answer can be ${mediaTypes.join(' or ')}`);
}

/** What was chosen before: clients send one of a few headers. */
const choices = new LRUCache<string, MediaType>({ max: 100, memoMethod: choose });

/**
 * The media type in which a GraphQL request is to be answered (RFC 9110, section 12.5.1): the one that weighs most; of
 * two that weigh the same, the one that comes first.
 * @param accept the Accept header; undefined where there is none
 * @throws {GatewayError} `NOT_ACCEPTABLE` where the client takes neither
 */
export const negotiateMediaType = (accept: string | undefined): MediaType => choices.memo(accept || '*/*');

/** Has Yoga read what a request asks for by this service's parsers. */
export const useRequestParsers = (): Plugin => ({
  onRequestParse: ({ request, requestParser, setRequestParser }) => {
    if (request.method === 'POST') setRequestParser(readBody);
    else if (requestParser) setRequestParser(readQueryString(requestParser));
  },
});

/** How Yoga reads what a request asks for. */
type RequestParser = Parameters<Parameters<NonNullable<Plugin['onRequestParse']>>[0]['setRequestParser']>[0];

/**
 * Reads the body of a POST. Yoga's own parser would take bytes that are not UTF-8 for others, and repeat a body that
 * is not JSON in the answer.
 * @returns what the body holds: the parameters, or a list of them, which Yoga refuses
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_REQUEST` for what is no JSON object
 * @throws {GraphQLError} `BAD_USER_INPUT` for what is not UTF-8
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
 * Reads a query string by Yoga's parser, which knows no id of a document.
 * @throws {GatewayError} `BAD_REQUEST` where its variables or extensions are not JSON
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

/** No operation refuses bytes that are no text, so the status is 422 in `application/json` as well. */
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
