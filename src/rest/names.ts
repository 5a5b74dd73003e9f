import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import {
  type GraphQLArgumentConfig,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
} from 'graphql';
import { nodeTypeOf, pageArguments, toList } from './lists.ts';

/** `sessionDuration` → `session_duration`: how REST spells a name of GraphQL's. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * How REST spells an argument of a root field.
 * @param type the field's type, for a connection is paged in another way
 * @returns undefined for an argument that REST does not have
 */
export const restName = (argument: string, type: GraphQLOutputType): string | undefined =>
  pageArguments.has(argument) && nodeTypeOf(type) ? pageArguments.get(argument) : snakeCase(argument);

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/** An enum's example, spelled as its values are in REST. */
const withRestExample = <Config extends GraphQLArgumentConfig | FieldConfig>(config: Config): Config => {
  const example: unknown = config.extensions?.['example'];
  if (!isEnumType(getNamedType(config.type)) || typeof example !== 'string') return config;
  return { ...config, extensions: { ...config.extensions, example: example.toLowerCase() } };
};

const renameArguments = (config: FieldConfig): FieldConfig => ({
  ...config,
  args: Object.fromEntries(
    Object.entries(config.args ?? {}).flatMap(([name, argument]) => {
      const spelled = restName(name, config.type);
      return spelled === undefined ? [] : [[spelled, withRestExample(argument)]];
    }),
  ),
});

const toRestField = (config: FieldConfig): FieldConfig => {
  const node = nodeTypeOf(config.type);
  const renamed = renameArguments(config);
  return node ? toList(renamed, node) : renamed;
};

/**
 * The same schema, its enums' values spelled for REST: `HOUR` → `hour`. REST's operations run on it, for a value is
 * data, and no alias spells it anew.
 */
export const withRestValues = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.ENUM_TYPE]: (type) => {
      const { values, ...config } = type.toConfig();
      const spelled = Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]);
      return new GraphQLEnumType({ ...config, values: Object.fromEntries(spelled) });
    },
  });

/**
 * The same schema as REST has it: output fields and arguments spelled in snake_case, and lists for connections. Root
 * fields keep their names. It describes; operations run on the schema itself. What has the extension `graphqlOnly` is
 * not there, and what is deprecated for its sake is not deprecated.
 */
export const toRestSchema = (schema: GraphQLSchema): GraphQLSchema => {
  const mapped = mapSchema(withRestValues(schema), {
    [MapperKind.ROOT_FIELD]: toRestField,
    [MapperKind.OBJECT_FIELD]: (config, name) =>
      config.extensions?.['graphqlOnly']
        ? null
        : [snakeCase(name), { ...withRestExample(config), deprecationReason: null }],
  });
  // Nothing leads to the types of connections any more.
  return pruneSchema(mapped);
};
