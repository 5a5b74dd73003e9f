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
import { rootFieldsOf } from '../auth/root-fields.ts';
import { factsOf } from '../graphql/field-facts.ts';
import { isChange } from '../graphql/run-operation.ts';
import { nodeTypeOf, restName, snakeCase } from './rest-schema.ts';
import type { Route, Routes } from './routes.ts';

/** A REST input: it stands for one argument of a root field. */
export interface Input {
  /** The REST name: `key_id` for `keyId`. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly argument: GraphQLArgument;
  /** The members of the value that belong to the record but cannot be changed. The service ignores them. */
  readonly readOnly: ReadonlySet<string>;
}

/** A route, with what its root field says about the route. */
export interface BoundRoute extends Route {
  readonly field: GraphQLField<unknown, unknown>;
  readonly inputs: readonly Input[];
  /** The names that a request may use, for each place that takes inputs. */
  readonly names: ReadonlyMap<Input['in'], ReadonlySet<string>>;
  /** Whether the route answers a page of a list: a connection in GraphQL, a JSON list in REST. */
  readonly isPage: boolean;
  /** Whether a request may have an `Idempotency-Key`: only a POST that changes something may. */
  readonly takesKey: boolean;
  /** Whether the route refuses unknown inputs; if not, it ignores them. */
  readonly refusesUnknown: boolean;
  /**
   * The type of the record, for a change that takes the whole record as it was read. Such a change ignores the
   * members that cannot be changed and refuses all unknown members.
   */
  readonly record: GraphQLObjectType | undefined;
  /** The GET route of the resource that this route concerns: at the same path, or at the nearest path above. */
  readonly resource: BoundRoute | undefined;
  /** Whether the answer has an entity tag: it is the record that a GET of `resource` answers. Lists have none. */
  readonly hasTag: boolean;
}

/** Where a route takes an input from: the path, else the query string of a GET or DELETE, else the body. */
const placeOf = ({ method, path }: Route, name: string): Input['in'] => {
  if (path.includes(`{${name}}`)) return 'path';
  return method === 'GET' || method === 'DELETE' ? 'query' : 'body';
};

/** The inputs of a root field's route. The field may come from the GraphQL schema or from the REST schema. */
const inputsOf = (
  { args, type }: Pick<GraphQLField<unknown, unknown>, 'args' | 'type'>,
  route: Route,
  record: BoundRoute['record'],
): Input[] =>
  args.flatMap((argument) => {
    const name = restName(argument.name, type);
    if (name === undefined) return [];
    const readOnly = readOnlyIn(argument.type, innerRecord(record, name));
    return [{ name, in: placeOf(route, name), argument, readOnly }];
  });

const readOnlyIn = (type: GraphQLInputType, record: BoundRoute['record']): Set<string> => {
  const named = getNamedType(type);
  return new Set(isInputObjectType(named) ? readOnlyNames(record, Object.values(named.getFields())) : []);
};

/** The names that a request may use in each place. In a body, these include the read-only members of the record. */
function namesOf(inputs: readonly Input[], record: BoundRoute['record']): BoundRoute['names'] {
  const names = new Map<Input['in'], Set<string>>();
  for (const { name, in: place } of inputs) names.set(place, (names.get(place) ?? new Set()).add(name));
  for (const name of readOnlyNames(record, [])) names.get('body')?.add(name);
  return names;
}

const isPage = ({ type, extensions }: GraphQLField<unknown, unknown>) =>
  extensions['isPage'] === true || nodeTypeOf(type) !== undefined;

const bindRoute = (field: GraphQLField<unknown, unknown>, route: Route, isMutation: boolean): BoundRoute => {
  const { changesSecret, takesRecord } = factsOf(field);
  const record = takesRecord ? objectTypeOf(field.type) : undefined;
  const inputs = inputsOf(field, route, record);
  return {
    ...route,
    resource: undefined,
    hasTag: false,
    field,
    inputs,
    names: namesOf(inputs, record),
    isPage: isPage(field),
    takesKey: route.method === 'POST' && isMutation && isChange(field),
    // With a misspelt filter, a list would answer too much. With a misspelt `expires_at`, a new key would never
    // expire.
    refusesUnknown: isPage(field) || changesSecret === true || takesRecord === true,
    record,
  };
};

const objectTypeOf = (type: GraphQLOutputType | undefined): GraphQLObjectType | undefined => {
  const named = getNamedType(type);
  return isObjectType(named) ? named : undefined;
};

/** The REST names of the record's members that are no inputs. */
export const readOnlyNames = (
  record: GraphQLObjectType | undefined,
  inputs: readonly { readonly name: string }[],
): string[] => {
  const taken = new Set(inputs.map(({ name }) => name));
  const names = Object.values(record?.getFields() ?? {}).map(({ name }) => snakeCase(name));
  return names.filter((name) => !taken.has(name));
};

/** The object type of a record's member; undefined for a member that is no object. */
export const innerRecord = (
  record: GraphQLObjectType | undefined,
  name: string,
): GraphQLObjectType | undefined =>
  objectTypeOf(
    Object.values(record?.getFields() ?? {}).find((field) => snakeCase(field.name) === name)?.type,
  );

/**
 * Joins each route with its root field.
 * @throws {Error} if a route names no root field
 */
export function bindRoutes(schema: GraphQLSchema, routes: Routes): Readonly<Record<string, BoundRoute>> {
  const fields = rootFieldsOf(schema);
  const mutations = schema.getMutationType()?.getFields() ?? {};
  const bound = Object.entries(routes).map(([name, route]) => {
    const field = fields[name];
    if (!field) throw new Error(`the route of ${name} has no root field`);
    return [name, bindRoute(field, route, Object.hasOwn(mutations, name))] as const;
  });
  const readable = new Map(
    bound.flatMap(([, route]) => (route.method === 'GET' ? [[route.path, route]] : [])),
  );
  for (const [, route] of bound) {
    const resource = nearest(readable, route.path);
    const hasTag = !route.isPage && `${route.field.type}` === `${resource?.field.type}`;
    Object.assign(route, { resource, hasTag });
  }
  return Object.fromEntries(bound);
}

/** The route at a path, or at the nearest path above: `/auth/keys/{key_id}/rotate` → `/auth/keys/{key_id}`. */
const nearest = (places: ReadonlyMap<string, BoundRoute>, path: string): BoundRoute | undefined =>
  path === '' ? undefined : (places.get(path) ?? nearest(places, path.slice(0, path.lastIndexOf('/'))));
