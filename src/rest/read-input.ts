import { getNamedType, isRequiredArgument } from 'graphql';
import { badUserInput, GatewayError, type InputIssue, unwrap } from '../errors.ts';
import { inputIssues, unknownIssues } from '../graphql/input-errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { bodyIssue, decodeText, isJson, parseJson } from '../http/read-request.ts';
import type { BoundRoute, Input } from './bound-routes.ts';
import { snakeCase } from './rest-schema.ts';
import type { RouteMatch } from './routes.ts';

/** The parts of a request that hold its input. */
type Called = Pick<Exchange, 'headers' | 'query' | 'body'>;

/**
 * Reads the members of a JSON body. Inherited properties of an object do not count as members.
 * @param isOptional whether a missing body counts as one without members
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_USER_INPUT` if the body is no JSON object
 */
function readBody({ headers, body: bytes }: Called, isOptional = false): ReadonlyMap<string, unknown> {
  if (isOptional && !bytes?.length) return new Map();
  if (!isJson(headers['content-type'])) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  const text = bytes ? decodeText(bytes) : '';
  if (text.trim() === '') throw bodyIssue('missing', 'A body is required.');
  const body = parseJson(text);
  if (!isObject(body)) {
    throw bodyIssue('dict_type', 'The body must be a JSON object.');
  }
  return new Map(Object.entries(body));
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON value that a request gives for an input, or the fault of that value. */
interface Given {
  readonly value?: unknown;
  readonly issue?: Pick<InputIssue, 'message' | 'type'>;
}

/** The notation of a JSON type in a path or a query string, which hold only text. */
interface Notation {
  readonly pattern: RegExp;
  readonly issue: NonNullable<Given['issue']>;
}

const notations: Readonly<Record<string, Notation>> = {
  Int: {
    pattern: /^(0|-?[1-9]\d*)$/,
    issue: { message: 'Must be a decimal integer.', type: 'int_parsing' },
  },
  Boolean: {
    pattern: /^(true|false)$/,
    issue: { message: 'Must be true or false.', type: 'bool_parsing' },
  },
};

/**
 * Reads the text of a parameter. Numbers and booleans must have their JSON notation (`"1"` → `1`, `"true"` → `true`);
 * any other type keeps the text.
 */
function readParameter({ argument }: Input, text: string | undefined): Given {
  const notation = notations[getNamedType(argument.type).name];
  if (!notation) return { value: text };
  return notation.pattern.test(text ?? '') ? { value: JSON.parse(text ?? '') } : { issue: notation.issue };
}

function readQuery(input: Input, query: URLSearchParams | undefined): Given {
  const [text, ...more] = query?.getAll(input.name) ?? [];
  if (more.length > 0) return { issue: { message: 'Must be given only once.', type: 'value_error' } };
  return text === undefined ? {} : readParameter(input, text);
}

const withoutMembers = (value: unknown, names: ReadonlySet<string>): unknown =>
  names.size > 0 && isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)))
    : value;

const decode = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
};

const issuesOf = ({ in: place, name, argument }: Input, { value, issue }: Given): InputIssue[] => {
  if (issue) return [{ path: [place, name], ...issue }];
  if (value === undefined && !isRequiredArgument(argument)) return [];
  return inputIssues(argument.type, value, [place, name]);
};

/** The issues of the names that are no inputs in their place. */
const unknownIn = (place: Input['in'], given: Iterable<string>, { names }: BoundRoute): InputIssue[] =>
  unknownIssues(
    [place],
    [...new Set(given)].filter((name) => !names.get(place)?.has(name)),
  );

/**
 * Reads the input of a REST call. Each input has one place, and no other place counts. The query string counts only
 * for a GET or a DELETE, the body only for a route that has an input there.
 * @returns the variables of the operation, in REST's names
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_USER_INPUT`, each issue with its place in the request
 */
export function readInput(
  called: Called,
  route: BoundRoute,
  parameters: RouteMatch['parameters'],
): Record<string, unknown> {
  const { inputs, names, refusesUnknown } = route;
  const query = names.has('query') ? new URLSearchParams(called.query) : undefined;
  const body = names.has('body') ? readBody(called, route.optionalBody) : undefined;
  const read: Record<Input['in'], (input: Input) => Given> = {
    path: (input) => readParameter(input, decode(parameters.get(input.name) ?? '')),
    query: (input) => readQuery(input, query),
    body: ({ name, readOnly }) => ({ value: withoutMembers(body?.get(name), readOnly) }),
  };
  const given = inputs.map((input) => ({ input, ...read[input.in](input) }));
  const issues = given.flatMap(({ input, ...rest }) => issuesOf(input, rest));
  if (refusesUnknown) {
    issues.push(...unknownIn('query', query?.keys() ?? [], route));
    issues.push(...unknownIn('body', body?.keys() ?? [], route));
  }
  if (issues.length > 0) throw badUserInput(issues);
  const present = given.filter(({ value }) => value !== undefined);
  return Object.fromEntries(present.map(({ input, value }) => [input.name, value]));
}

/** The place of an issue in the request, in the names that the caller used: `["path", "key_id"]`. */
const locationOf = ({ path: [argument, ...members] }: InputIssue, inputs: readonly Input[]): string[] => {
  // It is about several inputs.
  if (argument === undefined) return ['body'];
  // Only the name of a header field begins with a capital; no argument does.
  if (/^[A-Z]/.test(argument)) return ['header', argument];
  const input = inputs.find((each) => each.argument.name === argument);
  return [input?.in ?? 'body', input?.name ?? snakeCase(argument), ...members.map(snakeCase)];
};

/**
 * The error of an operation, with the issues of its input at their places in the REST request.
 * @param inputs the inputs of the called route
 */
export function inRestNames(error: unknown, inputs: readonly Input[]): unknown {
  const inner = unwrap(error);
  if (!(inner instanceof GatewayError) || inner.issues.length === 0) return error;
  const issues = inner.issues.map((issue) => ({ ...issue, path: locationOf(issue, inputs) }));
  return badUserInput(issues, inner.cause);
}
