import { isRequiredArgument } from 'graphql';
import { badUserInput, type InputIssue } from '../errors.ts';
import { inputIssues } from '../graphql/input-issues.ts';
import type { Endpoint } from './endpoints.ts';
import type { Input } from './inputs.ts';
import type { RouteMatch } from './match-route.ts';
import { readBody } from './read-body.ts';
import { readText } from './read-text.ts';

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
    readText(argument.type, decode(parameters.get(name) ?? ''));

const fromQuery =
  (query: URLSearchParams): Source =>
  ({ name, argument }) => {
    const [text, ...more] = query.getAll(name);
    if (more.length > 0) return { issue: { message: 'Must be given once.', type: 'value_error' } };
    return text === undefined ? {} : readText(argument.type, text);
  };

const fromBody =
  (body: ReadonlyMap<string, unknown>): Source =>
  ({ name }) => ({ value: body.get(name) });

const decode = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
};

const issuesOf = ({ argument }: Input, { value, issue }: Given): InputIssue[] => {
  if (issue) return [{ path: [argument.name], ...issue }];
  if (value === undefined && !isRequiredArgument(argument)) return [];
  return inputIssues(argument.type, value, [argument.name]);
};

/**
 * Reads the input of a REST call: each from its place and from no other. The query string is read for a GET alone, the
 * body where some input stands in it.
 * @returns the variables of the operation, in REST's names
 * @throws {GatewayError} `UNSUPPORTED_MEDIA_TYPE`; `BAD_USER_INPUT` with every issue, in GraphQL's names
 */
export async function readInput(
  request: Request,
  { route: { inputs }, parameters }: RouteMatch<Endpoint>,
): Promise<Record<string, unknown>> {
  const has = (place: Input['in']) => inputs.some((input) => input.in === place);
  const sources: Record<Input['in'], Source> = {
    path: fromPath(parameters),
    query: has('query') ? fromQuery(new URL(request.url).searchParams) : nothing,
    body: has('body') ? fromBody(await readBody(request)) : nothing,
  };
  const given = inputs.map((input) => ({ input, ...sources[input.in](input) }));
  const issues = given.flatMap(({ input, ...rest }) => issuesOf(input, rest));
  if (issues.length > 0) throw badUserInput(issues);
  const present = given.filter(({ value }) => value !== undefined);
  return Object.fromEntries(present.map(({ input, value }) => [input.name, value]));
}
