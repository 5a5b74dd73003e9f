import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { factsOf } from '../graphql/field-facts.ts';

/** The paging arguments of a connection, and their REST names; undefined for an argument that REST does not have. */
export const pageArguments: ReadonlyMap<string, string | undefined> = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
  ['last', undefined],
  ['before', undefined],
]);

const fieldType = (type: GraphQLOutputType, field: string): GraphQLObjectType | undefined => {
  const named = getNamedType(type);
  const inner = isObjectType(named) && getNamedType(named.getFields()[field]?.type);
  return isObjectType(inner) ? inner : undefined;
};

/** The type of the nodes of a Relay connection: `ApiKeyConnection` → `ApiKey`; undefined for any other type. */
export const nodeTypeOf = (type: GraphQLOutputType): GraphQLObjectType | undefined => {
  const edge = fieldType(type, 'pageInfo') && fieldType(type, 'edges');
  return edge && fieldType(edge, 'node');
};

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/**
 * Turns a connection into a list of its nodes, and marks it with the extension `isPage`. If the list and the GraphQL
 * page differ in length, the field's fact `limitInRest` describes `limit`.
 * @param config the field, with its arguments in REST names
 * @param node the type of the nodes
 */
const toList = (config: FieldConfig, node: GraphQLObjectType): FieldConfig => ({
  ...config,
  type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(node))),
  args: describePaging(config.args ?? {}, factsOf(config).limitInRest),
  extensions: { ...config.extensions, isPage: true },
});

const describePaging = (
  { limit, cursor, ...others }: GraphQLFieldConfigArgumentMap,
  limitInRest: string | undefined,
): GraphQLFieldConfigArgumentMap => ({
  ...(limit && {
    limit: {
      ...limit,
      description: limitInRest ?? limit.description ?? 'The most that one answer may hold.',
      extensions: { example: 20, ...limit.extensions },
    },
  }),
  ...(cursor && {
    cursor: {
      ...cursor,
      // GraphQL's description speaks of cursors that REST clients never see.
      description: 'Where the answer begins: the `Link` of the answer before has it. The first has none.',
      extensions: { ...cursor.extensions, example: 'MjA' },
    },
  }),
  ...others,
});

/** The REST spelling of a GraphQL name: `sessionDuration` → `session_duration`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * The REST name of a root field's argument: `keyId` → `key_id`; `first` of a connection → `limit`.
 * @param type the type of the field: a connection has other paging arguments in REST
 * @returns undefined for an argument that REST does not have
 */
export const restName = (argument: string, type: GraphQLOutputType): string | undefined =>
  pageArguments.has(argument) && nodeTypeOf(type) ? pageArguments.get(argument) : snakeCase(argument);

const renameArguments = (config: FieldConfig): FieldConfig => ({
  ...config,
  args: Object.fromEntries(
    Object.entries(config.args ?? {}).flatMap(([name, argument]) => {
      const spelled = restName(name, config.type);
      return spelled === undefined ? [] : [[spelled, argument]];
    }),
  ),
});

const toRestField = (config: FieldConfig): FieldConfig => {
  const node = nodeTypeOf(config.type);
  const renamed = renameArguments(config);
  return node ? toList(renamed, node) : renamed;
};

/**
 * The REST spelling of a value: enum names in lower case, members of input objects in snake_case.
 * `{ windowSeconds: 60 }` → `{ window_seconds: 60 }`
 */
export const inRestNames = (type: GraphQLType | undefined, value: unknown): unknown => {
  const named = getNamedType(type);
  if (isEnumType(named)) return `${value}`.toLowerCase();
  if (!isInputObjectType(named)) return value;
  const members = Object.entries(value as object).map(([name, inner]) => {
    const spelled = snakeCase(name);
    return [spelled, inRestNames(named.getFields()[spelled]?.type, inner)];
  });
  return Object.fromEntries(members);
};

/** The GraphQL spelling of an argument's value from REST: members of input objects in camelCase. */
const inGraphqlNames = (type: GraphQLInputType | undefined, value: unknown): unknown => {
  const named = getNamedType(type);
  // No input is a list of objects, so lists pass as they are.
  if (!isInputObjectType(named) || typeof value !== 'object' || value === null) return value;
  const names = new Map(Object.values(named.getFields()).map((field) => [snakeCase(field.name), field]));
  return Object.fromEntries(
    Object.entries(value).map(([spelled, inner]) => {
      const { name = spelled, type } = names.get(spelled) ?? {};
      return [name, inGraphqlNames(type, inner)];
    }),
  );
};

const givenInGraphqlNames = (config: FieldConfig): FieldConfig => {
  const { args = {}, resolve } = config;
  if (!resolve || !Object.values(args).some(({ type }) => isInputObjectType(getNamedType(type))))
    return config;
  const spelled = (given: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, inGraphqlNames(args[name]?.type, value)]),
    );
  return { ...config, resolve: (root, given, ...rest) => resolve(root, spelled(given), ...rest) };
};

/**
 * Removes fields with the fact `notInRest`, and replaces an inner object by its members, if its field has the fact
 * `flatInRest`. The value of such a field
 * must be the outer object itself, because the members are resolved from the outer object.
 */
const flatten = (type: GraphQLObjectType): GraphQLObjectType => {
  const { fields, ...config } = type.toConfig();
  const inRest = (each: typeof fields) =>
    Object.entries(each).filter(([, field]) => !factsOf(field).notInRest);
  const members = inRest(fields).flatMap(([name, field]) =>
    factsOf(field).flatInRest
      ? inRest((getNamedType(field.type) as GraphQLObjectType).toConfig().fields)
      : [[name, field] as const],
  );
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(members) });
};

/**
 * The schema that REST operations run on. Its values have REST's spelling: enum names in lower case, members of input
 * objects in snake_case. Fields and arguments stay those of the GraphQL schema, except for {@link flatten}.
 */
export const withRestValues = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.ENUM_VALUE]: (config, _type, _schema, name) => [name.toLowerCase(), config],
    [MapperKind.INPUT_OBJECT_FIELD]: (config, name) => [snakeCase(name), config],
    [MapperKind.OBJECT_TYPE]: flatten,
    [MapperKind.ROOT_FIELD]: givenInGraphqlNames,
  });

/**
 * The schema as REST describes it: output fields and arguments in snake_case, lists in place of connections. Root
 * fields keep their names. Only descriptions use this schema; operations run on the one of {@link withRestValues}.
 */
export const toRestSchema = (schema: GraphQLSchema): GraphQLSchema => {
  const mapped = mapSchema(schema, {
    [MapperKind.ROOT_FIELD]: toRestField,
    [MapperKind.OBJECT_FIELD]: (config, name) => [snakeCase(name), config],
  });
  // No field has a connection type any more, so those types go.
  return pruneSchema(mapped);
};
