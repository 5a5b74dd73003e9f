import type { GraphQLArgument, GraphQLField } from 'graphql';
import { restName } from './names.ts';
import type { Route } from './routes.ts';

/** What REST takes for an argument of a root field. */
export interface Input {
  /** In REST's names. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly argument: GraphQLArgument;
}

/** Where a route takes an input from: its path, else the query string where it has no body, else the body. */
const placeOf = ({ method, path }: Route, name: string): Input['in'] => {
  if (path.includes(`{${name}}`)) return 'path';
  return method === 'GET' || method === 'DELETE' ? 'query' : 'body';
};

/** The inputs of the route of a root field, which may be in GraphQL's names or in REST's. */
export const inputsOf = (
  { args, type }: Pick<GraphQLField<unknown, unknown>, 'args' | 'type'>,
  route: Route,
): Input[] =>
  args.flatMap((argument) => {
    const name = restName(argument.name, type);
    return name === undefined ? [] : [{ name, in: placeOf(route, name), argument }];
  });
