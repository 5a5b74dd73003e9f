import { GatewayError } from '../errors.ts';
import type { Handler, Middleware } from './exchange.ts';

/** Handlers by path; a path that ends with a slash stands for all that begin with it, the longest first. */
export type Table = readonly (readonly [path: string, handler: Handler])[];

const notFound: Handler = async () => {
  throw new GatewayError('NOT_FOUND', 'Not Found');
};

/**
 * Finds the handler of a path: its own, or that of the longest row that it begins with; any other path is not found.
 * @param before what stands before the handlers of some paths, by path
 */
export function route(table: Table, before: ReadonlyMap<string, Middleware> = new Map()): Handler {
  const find = findHandler(table);
  const all = findHandler([
    ...[...before].map(([path, middleware]) => [path, middleware(find(path))] as const),
    ...table,
  ]);
  return (exchange) => all(exchange.path)(exchange);
}

function findHandler(table: Table): (path: string) => Handler {
  const exact = new Map(table.toReversed());
  const beginnings = table.filter(([path]) => path.endsWith('/')).toSorted(([a], [b]) => b.length - a.length);
  return (path) =>
    exact.get(path) ?? beginnings.find(([beginning]) => path.startsWith(beginning))?.[1] ?? notFound;
}
