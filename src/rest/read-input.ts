import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
} from 'graphql';
import { badUserInput, GatewayError, type InputIssue } from '../errors.ts';
import { inputIssues, unknownIssues } from '../graphql/input-errors.ts';
import { bodyIssue, isJson, parseJson, readText } from '../http/read-request.ts';
import { type Endpoint, innerRecord, readOnlyNames } from './endpoints.ts';
import type { Input } from './inputs.ts';
import type { RouteMatch } from './match-route.ts';
import { readParameter } from './read-parameter.ts';

/**
 * The members of a JSON body; nothing that an object inherits counts as one.
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_USER_INPUT` for what is not a JSON object
 */
async function readBody(request: Request): Promise<ReadonlyMap<string, unknown>> {
  if (!isJson(request.headers.get('content-type'))) {
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json');
  }
  const text = await readText(request);
  if (text.trim() === '') throw bodyIssue('missing', 'A body is required.');
  const body = parseJson(text);
  if (!isObject(body)) {
    throw bodyIssue('dict_type', 'The body must be a JSON object.');
  }
  return new Map(Object.entries(body));
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a call gives for an input, as it is in JSON, and what is wrong with it. */
interface Given {
  readonly value?: unknown;
  readonly issue?: Pick<InputIssue, 'message' | 'type'>;
}

type Source = (input: Input) => Given;

const nothing: Source = () => ({});

const fromPath =
  (parameters: ReadonlyMap<string, string>): Source =>
  ({ name, argument }) =>
    readParameter(argument.type, decode(parameters.get(name) ?? ''));

const fromQuery =
  (query: URLSearchParams): Source =>
  ({ name, argument }) => {
    const [text, ...more] = query.getAll(name);
    if (more.length > 0) return { issue: { message: 'Must be given once.', type: 'value_error' } };
    return text === undefined ? {} : readParameter(argument.type, text);
  };

const fromBody =
  (body: ReadonlyMap<string, unknown>, record: Endpoint['record']): Source =>
  ({ name, argument }) => ({
    value: withoutReadOnly(argument.type, body.get(name), innerRecord(record, name)),
  });

/** An object without what of a record cannot be changed. */
const withoutReadOnly = (type: GraphQLInputType, value: unknown, record: Endpoint['record']): unknown => {
  const named = getNamedType(type);
  if (!record || !isInputObjectType(named) || !isObject(value)) return value;
  const readOnly = new Set(readOnlyNames(record, Object.values(named.getFields())));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !readOnly.has(name)));
};

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
  // GraphQL would take one value for a list of it.
  if (isListType(getNullableType(argument.type)) && value !== null && !Array.isArray(value))
    return [{ path: [place, name], message: 'Must be a list.', type: 'list_type' }];
  return inputIssues(argument.type, value, [place, name]);
};

/** The names of a place that are no input there. */
function unknownIn(
  place: Input['in'],
  given: Iterable<string>,
  { inputs, record }: Pick<Endpoint, 'inputs' | 'record'>,
): InputIssue[] {
  const unknown = new Set(given);
  for (const input of inputs) if (input.in === place) unknown.delete(input.name);
  if (place === 'body') for (const name of readOnlyNames(record, [])) unknown.delete(name);
  return unknownIssues([place], unknown);
}

/**
 * Reads the input of a REST call: each from its place and from no other. The query string is read for a GET or a
 * DELETE alone, the body where some input stands in it.
 * @returns the variables of the operation, in REST's names
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_USER_INPUT` with what is wrong at its place in the request
 */
export async function readInput(
  request: Request,
  { route, parameters }: RouteMatch<Endpoint>,
): Promise<Record<string, unknown>> {
  const { inputs, refusesUnknown, record } = route;
  const has = (place: Input['in']) => inputs.some((input) => input.in === place);
  const query = has('query') ? new URL(request.url).searchParams : undefined;
  const body = has('body') ? await readBody(request) : undefined;
  const sources: Record<Input['in'], Source> = {
    path: fromPath(parameters),
    query: query ? fromQuery(query) : nothing,
    body: body ? fromBody(body, record) : nothing,
  };
  const given = inputs.map((input) => ({ input, ...sources[input.in](input) }));
  const issues = given.flatMap(({ input, ...rest }) => issuesOf(input, rest));
  if (refusesUnknown) {
    issues.push(...unknownIn('query', query?.keys() ?? [], route));
    issues.push(...unknownIn('body', body?.keys() ?? [], route));
  }
  if (issues.length > 0) throw badUserInput(issues);
  const present = given.filter(({ value }) => value !== undefined);
  return Object.fromEntries(present.map(({ input, value }) => [input.name, value]));
}
