import { GraphQLError } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import { GatewayError, toGatewayError } from '../errors.ts';
import { isJson, readText } from '../http/read-request.ts';
import { documentIdName } from './use-trusted-documents.ts';

/** How Yoga reads what a request asks for. */
export type RequestParser = Parameters<
  Parameters<NonNullable<Plugin['onRequestParse']>>[0]['setRequestParser']
>[0];

/**
 * Reads the body of a POST. Yoga's own parser would take bytes that are not UTF-8 for others, and repeat a body that
 * is not JSON in the answer.
 * @returns what the body holds: the parameters, or a list of them, which Yoga refuses
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_REQUEST` for what is no JSON object
 * @throws {GraphQLError} `BAD_USER_INPUT` for what is not UTF-8
 */
export const readBody: RequestParser = async (request) => {
  if (!isJson(request.headers.get('content-type'))) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  const parameters = parseJson(await readText(request).catch(refuseBytes));
  if (typeof parameters === 'object' && parameters !== null) return parameters as GraphQLParams;
  throw badRequest('The body must be a JSON object');
};

/**
 * Reads a query string by Yoga's parser, which knows no id of a document.
 * @throws {GatewayError} `BAD_REQUEST` where its variables or extensions are not JSON
 */
export const readQueryString =
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

/** No operation says this, so the status is 422 in `application/json` as well. */
const refuseBytes = (error: unknown): never => {
  const { message, code, issues, status } = toGatewayError(error);
  throw new GraphQLError(message, { extensions: { code, issues, http: { status } } });
};
