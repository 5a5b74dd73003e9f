import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import {
  defaultFieldResolver,
  type GraphQLFieldConfig,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { nodeTypeOf, pageArguments, toList } from './connections.ts';

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

/** A root field whose arguments are spelled for REST; its resolver still gets them by their own names. */
const renameArguments = (config: FieldConfig): FieldConfig => {
  const resolve = config.resolve ?? defaultFieldResolver;
  const renamed = Object.entries(config.args ?? {}).flatMap(([name, arg]) => {
    const spelled = restName(name, config.type);
    return spelled === undefined ? [] : [{ name, spelled, arg }];
  });
  const original = new Map(renamed.map(({ name, spelled }) => [spelled, name]));
  return {
    ...config,
    args: Object.fromEntries(renamed.map(({ spelled, arg }) => [spelled, arg])),
    resolve: (root, args, context, info) => {
      const named = Object.entries(args).map(([name, value]) => [original.get(name) ?? name, value]);
      return resolve(root, Object.fromEntries(named), context, info);
    },
  };
};

const toRestField = (config: FieldConfig): FieldConfig => {
  const node = nodeTypeOf(config.type);
  const renamed = renameArguments(config);
  return node ? (toList(renamed, node) as FieldConfig) : renamed;
};

/**
 * The same schema as REST has it: output fields and arguments spelled in snake_case, and lists for connections. Root
 * fields keep their names.
 */
export const toRestSchema = (schema: GraphQLSchema): GraphQLSchema => {
  const mapped = mapSchema(schema, {
    [MapperKind.ROOT_FIELD]: toRestField,
    [MapperKind.OBJECT_FIELD]: (config, name) => {
      const resolve: FieldConfig['resolve'] =
        config.resolve ??
        ((source, args, context, info) =>
          defaultFieldResolver(source, args, context, { ...info, fieldName: name }));
      return [snakeCase(name), { ...config, resolve }];
    },
  });
  // Nothing leads to the types of connections any more.
  return pruneSchema(mapped);
};
