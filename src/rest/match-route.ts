import { GatewayError } from '../errors.ts';
import type { Route } from './routes.ts';

/** A route that was called. */
export interface RouteMatch {
  /** The root field behind it. */
  readonly field: string;
  readonly route: Route;
  /** Path parameters as they came, still percent-encoded, by name. */
  readonly parameters: ReadonlyMap<string, string>;
}

interface Candidate {
  readonly field: string;
  readonly route: Route;
  readonly pattern: RegExp;
}

/**
 * Compiles a table of routes.
 * @returns a function from method and path (below the base path) to the route that was called; it throws a
 *   GatewayError: `NOT_FOUND` for an unknown path, `METHOD_NOT_ALLOWED` for another method of a known one
 */
export function createRouteMatcher(routes: Readonly<Record<string, Route>>) {
  const candidates = Object.entries(routes)
    .map(([field, route]): Candidate => ({ field, route, pattern: compile(route.path) }))
    // A literal segment goes before a parameter in its place.
    .toSorted((a, b) => (a.route.path < b.route.path ? -1 : 1));

  return (method: string, path: string): RouteMatch => {
    const matches = candidates.filter(({ pattern }) => pattern.test(path));
    if (matches.length === 0) throw new GatewayError('NOT_FOUND', 'Not Found');
    const match = matches.find(({ route }) => route.method === method);
    if (!match) throw methodNotAllowed(matches);
    const { field, route, pattern } = match;
    return { field, route, parameters: new Map(Object.entries(pattern.exec(path)?.groups ?? {})) };
  };
}

const compile = (path: string) =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

const methodNotAllowed = (matches: readonly Candidate[]) => {
  const methods = matches.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  return new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: [...new Set(methods)].sort().join(', ') },
  });
};
