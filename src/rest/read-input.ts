import type { GraphQLArgument, GraphQLField } from 'graphql';
import { badUserInput, GatewayError, type InputIssue } from '../errors.ts';
import { coerceInput } from '../graphql/coerce-input.ts';
import { isJson } from '../http/media-type.ts';
import type { RouteMatch } from './match-route.ts';
import { snakeCase } from './names.ts';

const hasBody = (method: string) => method === 'POST' || method === 'PUT' || method === 'PATCH';

const bodyIssue = (type: string, message: string, cause?: unknown) =>
  badUserInput([{ path: [], message, type }], cause);

/** The members of a JSON body; nothing that an object inherits counts as one. */
async function readBody(request: Request): Promise<ReadonlyMap<string, unknown>> {
  if (!isJson(request.headers.get('content-type'))) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  const text = await request.text();
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

/** A path parameter: a decimal integer, strictly, where the field takes one; text otherwise. */
const readPathParameter = (argument: GraphQLArgument, encoded: string) => {
  const text = decode(encoded);
  if (!argument.type.toString().startsWith('Int')) return coerceInput(argument.type, text, [argument.name]);
  if (/^(0|-?[1-9]\d*)$/.test(text ?? '')) return coerceInput(argument.type, Number(text), [argument.name]);
  const issue: InputIssue = {
    path: [argument.name],
    message: 'Must be a decimal integer.',
    type: 'int_parsing',
  };
  return { value: undefined, issues: [issue] };
};

const decode = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
};

/**
 * Decodes the input of a REST call by the arguments of the field behind it: path parameters from the path, all others
 * from the body. The query string is never read.
 * @returns the variables of the operation, in REST's names
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_USER_INPUT` with every issue, in GraphQL's names
 */
export async function readInput(
  request: Request,
  { route, parameters }: RouteMatch,
  { args }: GraphQLField<unknown, unknown>,
): Promise<Record<string, unknown>> {
  const body = hasBody(route.method) ? await readBody(request) : new Map<string, unknown>();
  const variables: Record<string, unknown> = {};
  const faults: InputIssue[] = [];
  for (const argument of args) {
    const name = snakeCase(argument.name);
    const parameter = parameters.get(name);
    if (parameter === undefined && !body.has(name) && argument.type.toString().at(-1) !== '!') continue;
    const { value, issues } =
      parameter === undefined
        ? coerceInput(argument.type, body.get(name), [argument.name])
        : readPathParameter(argument, parameter);
    variables[name] = value;
    faults.push(...issues);
  }
  if (faults.length > 0) throw badUserInput(faults);
  return variables;
}
