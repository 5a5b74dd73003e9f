import type { FetchAPI } from 'graphql-yoga';
import type { GatewayError, InputIssue } from '../errors.ts';
import type { Input } from './inputs.ts';
import { snakeCase } from './names.ts';

/** Where an issue stands in a request, by its wire names: `["path", "key_id"]`, `["body"]`. */
const locationOf = ({ path: [argument, ...members] }: InputIssue, inputs: readonly Input[]): string[] => {
  if (argument === undefined) return ['body'];
  const input = inputs.find((each) => each.argument.name === argument);
  return [input?.in ?? 'body', input?.name ?? snakeCase(argument), ...members.map(snakeCase)];
};

/**
 * An error as REST answers it: `{"detail": "…"}`, or with a list of issues for an input that will not do.
 * @param inputs those of the route that was called
 */
export function toErrorResponse(error: GatewayError, inputs: readonly Input[], fetchAPI: FetchAPI): Response {
  const detail =
    error.code === 'BAD_USER_INPUT'
      ? error.issues.map((issue) => ({
          loc: locationOf(issue, inputs),
          msg: issue.message,
          type: issue.type,
        }))
      : error.message;
  return fetchAPI.Response.json({ detail }, { status: error.status, headers: error.headers });
}
