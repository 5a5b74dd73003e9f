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

/** What a connection tells of its page, as far as REST says it. */
export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor?: string | null | undefined;
}

/** What is asked of a connection, by the rules of Relay. */
export interface Connection {
  readonly edges: readonly { readonly node: unknown }[];
  readonly pageInfo: PageInfo;
}

/** The arguments of a connection that page through it, and what REST has in their places. */
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

/** The type of the nodes of a Relay connection; undefined for any other type. */
export const nodeTypeOf = (type: GraphQLOutputType): GraphQLObjectType | undefined => {
  const edge = fieldType(type, 'pageInfo') && fieldType(type, 'edges');
  return edge && fieldType(edge, 'node');
};

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/**
 * A connection as a list of its nodes. The extension `isPage` marks it; its own `limitInRest` says what `limit` is
 * where REST's list is another length than GraphQL's page.
 * @param config the field, its arguments spelled for REST
 * @param node the type of the nodes
 */
const toList = (config: FieldConfig, node: GraphQLObjectType): FieldConfig => ({
  ...config,
  type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(node))),
  args: describePaging(config.args ?? {}, config.extensions?.['limitInRest'] as string | undefined),
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
      // Clients of REST are not shown the cursors that GraphQL speaks of.
      description: 'Where the answer begins: the `Link` of the answer before has it. The first has none.',
      extensions: { ...cursor.extensions, example: 'MjA' },
    },
  }),
  ...others,
});

/** `sessionDuration` → `session_duration`: how REST spells a name of GraphQL's. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/**
 * How REST spells an argument of a root field.
 * @param type the field's type, for a connection is paged in another way
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

/** A value as REST spells it: the names of enums in lower case, the members of input objects in snake_case. */
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

/** A value of an argument as REST gives it, with the members of input objects spelled as GraphQL has them. */
const inGraphqlNames = (type: GraphQLInputType, value: unknown): unknown => {
  const named = getNamedType(type);
  // Of lists there are none of objects.
  if (!isInputObjectType(named) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const field = named.getFields()[name];
      return [camelCase(name), field ? inGraphqlNames(field.type, inner) : inner];
    }),
  );
};

const givenInGraphqlNames = (config: FieldConfig): FieldConfig => {
  const { args = {}, resolve } = config;
  if (!resolve || !Object.values(args).some(({ type }) => isInputObjectType(getNamedType(type))))
    return config;
  const spelled = (given: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        args[name] ? inGraphqlNames(args[name].type, value) : value,
      ]),
    );
  return { ...config, resolve: (root, given, ...rest) => resolve(root, spelled(given), ...rest) };
};

/**
 * A type with the members of an inner object in that object's place: a field says so by the extension `flatInRest`. Its
 * value must be the object that it stands in, for the members are resolved from that.
 */
const flatten = (type: GraphQLObjectType): GraphQLObjectType => {
  const { fields, ...config } = type.toConfig();
  const members = Object.entries(fields).flatMap(([name, field]) =>
    field.extensions?.['flatInRest']
      ? Object.entries((getNamedType(field.type) as GraphQLObjectType).toConfig().fields)
      : [[name, field] as const],
  );
  return new GraphQLObjectType({ ...config, fields: Object.fromEntries(members) });
};

/**
 * The schema with values as REST spells them, to be run: the names of enums in lower case, the members of input objects
 * in snake_case. Fields and arguments are those of the schema, but for what {@link flatten} says.
 */
export const withRestValues = (schema: GraphQLSchema): GraphQLSchema => {
  const spelled = mapSchema(schema, {
    [MapperKind.ENUM_VALUE]: (config, _type, _schema, name) => [name.toLowerCase(), config],
    [MapperKind.INPUT_OBJECT_FIELD]: (config, name) => [snakeCase(name), config],
    [MapperKind.OBJECT_TYPE]: flatten,
  });
  return mapSchema(spelled, { [MapperKind.ROOT_FIELD]: givenInGraphqlNames });
};

/**
 * The same schema as REST has it: output fields and arguments spelled in snake_case, and lists for connections. Root
 * fields keep their names. It describes; operations run on the schema itself.
 */
export const toRestSchema = (schema: GraphQLSchema): GraphQLSchema => {
  const mapped = mapSchema(schema, {
    [MapperKind.ROOT_FIELD]: toRestField,
    [MapperKind.OBJECT_FIELD]: (config, name) => [snakeCase(name), config],
  });
  // Nothing leads to the types of connections any more.
  return pruneSchema(mapped);
};
