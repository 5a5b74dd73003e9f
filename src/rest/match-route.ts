import { GatewayError } from '../errors.ts';
import type { Route } from './routes.ts';

/** A route that was called. */
export interface RouteMatch<Called extends Route = Route> {
  /** The root field behind it. */
  readonly field: string;
  readonly route: Called;
  /** Path parameters as they came, still percent-encoded, by name. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The routes of one path, by method. */
interface Place<Called extends Route> {
  readonly pattern: RegExp;
  readonly methods: Map<string, RouteMatch<Called>>;
}

/**
 * Compiles a table of routes.
 * @returns a function from method and path (below the base path) to the route that was called; it throws a
 *   GatewayError: `NOT_FOUND` for an unknown path, `METHOD_NOT_ALLOWED` for another method of a known one
 */
export function createRouteMatcher<Called extends Route>(table: Readonly<Record<string, Called>>) {
  const places = createPlaces(table);
  const patterns = [...places]
    .filter(([path]) => path.includes('{'))
    // A literal segment goes before a parameter in its place.
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, place]) => place);

  const matchPattern = (method: string, path: string): RouteMatch<Called> | undefined => {
    for (const { pattern, methods } of patterns) {
      const match = methods.get(method);
      const groups = match && pattern.exec(path)?.groups;
      if (groups) return { ...match, parameters: new Map(Object.entries(groups)) };
    }
    return undefined;
  };

  return (method: string, path: string): RouteMatch<Called> => {
    // A path without parameters is found as it stands.
    const literal = path.includes('{') ? undefined : places.get(path)?.methods.get(method);
    const match = literal ?? matchPattern(method, path);
    if (match) return match;
    const others = [...places.values()].filter(({ pattern }) => pattern.test(path));
    if (others.length === 0) throw new GatewayError('NOT_FOUND', 'Not Found');
    throw methodNotAllowed(others.flatMap(({ methods }) => [...methods.keys()]));
  };
}

function createPlaces<Called extends Route>(table: Readonly<Record<string, Called>>) {
  const places = new Map<string, Place<Called>>();
  for (const [field, route] of Object.entries(table)) {
    const place = places.get(route.path) ?? { pattern: compile(route.path), methods: new Map() };
    place.methods.set(route.method, { field, route, parameters: new Map() });
    places.set(route.path, place);
  }
  return places;
}

const compile = (path: string) =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

const methodNotAllowed = (methods: readonly string[]) => {
  const allowed = new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
  return new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: [...allowed].sort().join(', ') },
  });
};
