import type { FetchAPI } from 'graphql-yoga';
import type { GatewayError, InputIssue } from '../errors.ts';
import type { RouteMatch } from './match-route.ts';
import { snakeCase } from './names.ts';

/** Where an issue stands in a request, by its wire names: `["path", "key_id"]`, `["body"]`. */
const locationOf = ({ path }: InputIssue, match: RouteMatch | undefined): string[] => {
  const names = path.map(snakeCase);
  return [names[0] !== undefined && match?.parameters.has(names[0]) ? 'path' : 'body', ...names];
};

/**
 * An error as REST answers it: `{"detail": "…"}`, or with a list of issues for an input that will not do.
 * @param match the route that was called, where there is one
 */
export function toErrorResponse(
  error: GatewayError,
  match: RouteMatch | undefined,
  fetchAPI: FetchAPI,
): Response {
  const detail =
    error.code === 'BAD_USER_INPUT'
      ? error.issues.map((issue) => ({ loc: locationOf(issue, match), msg: issue.message, type: issue.type }))
      : error.message;
  return fetchAPI.Response.json({ detail }, { status: error.status, headers: error.headers });
}
