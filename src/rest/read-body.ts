import { badUserInput, GatewayError } from '../errors.ts';
import { isJson, readText } from '../http/body.ts';

const bodyIssue = (type: string, message: string, cause?: unknown) =>
  badUserInput([{ path: [], message, type }], cause);

/**
 * The members of a JSON body; nothing that an object inherits counts as one.
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_USER_INPUT` for what is not a JSON object
 */
export async function readBody(request: Request): Promise<ReadonlyMap<string, unknown>> {
  if (!isJson(request.headers.get('content-type'))) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  const text = await readText(request);
  if (text.trim() === '') throw bodyIssue('missing', 'A body is required.');
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw bodyIssue('dict_type', 'The body must be a JSON object.');
  }
  return new Map(Object.entries(body));
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw bodyIssue('json_invalid', 'The body is not valid JSON.', cause);
  }
};
