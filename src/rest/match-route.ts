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

/** A route whose path has parameters. */
interface Pattern<Called extends Route> {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly match: RouteMatch<Called>;
}

/**
 * Compiles a table of routes.
 * @returns a function from method and path (below the base path) to the route that was called; it throws a
 *   GatewayError: `NOT_FOUND` for an unknown path, `METHOD_NOT_ALLOWED` for another method of a known one
 */
export function createRouteMatcher<Called extends Route>(table: Readonly<Record<string, Called>>) {
  const places = createPlaces(table);
  const patterns = createPatterns(places);

  const matchPattern = (method: string, path: string): RouteMatch<Called> | undefined => {
    for (const { pattern, names, match } of patterns.get(method) ?? []) {
      const values = pattern.exec(path);
      if (values)
        return { ...match, parameters: new Map(names.map((name, index) => [name, values[index + 1] ?? ''])) };
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

const parameter = /\{(\w+)\}/g;

const compile = (path: string) =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(parameter, '([^/]+)')}$`);

/** By method; a literal segment goes before a parameter in its place. */
function createPatterns<Called extends Route>(places: ReadonlyMap<string, Place<Called>>) {
  const patterns = new Map<string, Pattern<Called>[]>();
  for (const [path, { pattern, methods }] of [...places].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const names = [...path.matchAll(parameter)].map(([, name = '']) => name);
    if (names.length === 0) continue;
    for (const [method, match] of methods)
      patterns.set(method, [...(patterns.get(method) ?? []), { pattern, names, match }]);
  }
  return patterns;
}

const methodNotAllowed = (methods: readonly string[]) => {
  const allowed = new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
  return new GatewayError('METHOD_NOT_ALLOWED', 'Method Not Allowed', {
    headers: { allow: [...allowed].sort().join(', ') },
  });
};
