import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { isChange } from '../graphql/run-operation.ts';
import { nodeTypeOf, restName, snakeCase } from './rest-schema.ts';
import type { Route, Routes } from './routes.ts';

/** What REST takes for an argument of a root field. */
export interface Input {
  /** In REST's names. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly argument: GraphQLArgument;
  /** The members of its value that are a record's and cannot be changed: they are passed over. */
  readonly readOnly: ReadonlySet<string>;
}

/** A route, and what the root field behind it says of it. */
export interface Endpoint extends Route {
  readonly field: GraphQLField<unknown, unknown>;
  readonly inputs: readonly Input[];
  /** The names that a request may have in each place where an input stands. */
  readonly names: ReadonlyMap<Input['in'], ReadonlySet<string>>;
  /** Whether it answers a part of a list: a connection, or the list that REST makes of one. */
  readonly isPage: boolean;
  /** Whether it may be sent with an `Idempotency-Key`: a POST that changes something. */
  readonly takesKey: boolean;
  /** Whether it refuses what it does not know, and does not pass over it. */
  readonly refusesUnknown: boolean;
  /**
   * The type of a record that a change takes back as it was read: what of it cannot be changed is passed over, and all
   * else that is not known is refused.
   */
  readonly record: GraphQLObjectType | undefined;
  /** Where that is read which a change is made to: at its own path, or at the nearest one above. */
  readonly resource: Endpoint | undefined;
  /** Whether it answers what is read there. */
  readonly answersResource: boolean;
}

/** Where a route takes an input from: its path, else the query string where it has no body, else the body. */
const placeOf = ({ method, path }: Route, name: string): Input['in'] => {
  if (path.includes(`{${name}}`)) return 'path';
  return method === 'GET' || method === 'DELETE' ? 'query' : 'body';
};

/** The inputs of the route of a root field, which may be in GraphQL's names or in REST's. */
const inputsOf = (
  { args, type }: Pick<GraphQLField<unknown, unknown>, 'args' | 'type'>,
  route: Route,
  record: Endpoint['record'],
): Input[] =>
  args.flatMap((argument) => {
    const name = restName(argument.name, type);
    if (name === undefined) return [];
    const readOnly = readOnlyIn(argument.type, innerRecord(record, name));
    return [{ name, in: placeOf(route, name), argument, readOnly }];
  });

const readOnlyIn = (type: GraphQLInputType, record: Endpoint['record']): Set<string> => {
  const named = getNamedType(type);
  return new Set(isInputObjectType(named) ? readOnlyNames(record, Object.values(named.getFields())) : []);
};

/** The names that a request may have, by their places; in a body also what is passed over. */
function namesOf(inputs: readonly Input[], record: Endpoint['record']): Endpoint['names'] {
  const names = new Map<Input['in'], Set<string>>();
  for (const { name, in: place } of inputs) names.set(place, (names.get(place) ?? new Set()).add(name));
  for (const name of readOnlyNames(record, [])) names.get('body')?.add(name);
  return names;
}

const isPage = ({ type, extensions }: GraphQLField<unknown, unknown>) =>
  extensions['isPage'] === true || nodeTypeOf(type) !== undefined;

const createEndpoint = (
  field: GraphQLField<unknown, unknown>,
  route: Route,
  isMutation: boolean,
): Endpoint => {
  const record = field.extensions['takesRecord'] === true ? objectTypeOf(field.type) : undefined;
  const inputs = inputsOf(field, route, record);
  return {
    ...route,
    resource: undefined,
    answersResource: false,
    field,
    inputs,
    names: namesOf(inputs, record),
    isPage: isPage(field),
    takesKey: route.method === 'POST' && isMutation && isChange(field),
    // A filter that is misspelt would answer too much, and an `expires_at` would make a key that never expires.
    refusesUnknown:
      isPage(field) || field.extensions['changesSecret'] === true || field.extensions['takesRecord'] === true,
    record,
  };
};

const objectTypeOf = (type: GraphQLOutputType | undefined): GraphQLObjectType | undefined => {
  const named = getNamedType(type);
  return isObjectType(named) ? named : undefined;
};

/** The names of REST's that a record has and an input has not. */
export const readOnlyNames = (
  record: GraphQLObjectType | undefined,
  inputs: readonly { readonly name: string }[],
): string[] => {
  const taken = new Set(inputs.map(({ name }) => name));
  const names = Object.values(record?.getFields() ?? {}).map(({ name }) => snakeCase(name));
  return names.filter((name) => !taken.has(name));
};

/** The record that a member of a record is; undefined for any other value. */
export const innerRecord = (
  record: GraphQLObjectType | undefined,
  name: string,
): GraphQLObjectType | undefined =>
  objectTypeOf(
    Object.values(record?.getFields() ?? {}).find((field) => snakeCase(field.name) === name)?.type,
  );

const rootFieldsOf = (schema: GraphQLSchema): Record<string, GraphQLField<unknown, unknown>> => ({
  ...schema.getQueryType()?.getFields(),
  ...schema.getMutationType()?.getFields(),
});

/**
 * Puts routes and root fields together.
 * @throws {Error} where a route leads to no root field
 */
export function createEndpoints(schema: GraphQLSchema, routes: Routes): Readonly<Record<string, Endpoint>> {
  const fields = rootFieldsOf(schema);
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const endpoints = Object.entries(routes).map(([name, route]) => {
    const field = fields[name];
    if (!field) throw new Error(`the route of ${name} leads to no root field`);
    return [name, createEndpoint(field, route, Object.hasOwn(mutations, name))] as const;
  });
  const readable = new Map(
    endpoints.flatMap(([, endpoint]) => (endpoint.method === 'GET' ? [[endpoint.path, endpoint]] : [])),
  );
  return Object.fromEntries(
    endpoints.map(([name, endpoint]) => [name, withResource(endpoint, nearest(readable, endpoint.path))]),
  );
}

const withResource = (endpoint: Endpoint, resource: Endpoint | undefined): Endpoint => ({
  ...endpoint,
  resource,
  answersResource: `${endpoint.field.type}` === `${resource?.field.type}`,
});

/** What stands at a path, or at the nearest one above. */
const nearest = (places: ReadonlyMap<string, Endpoint>, path: string): Endpoint | undefined =>
  path === '' ? undefined : (places.get(path) ?? nearest(places, path.slice(0, path.lastIndexOf('/'))));
