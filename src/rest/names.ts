import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver, type GraphQLFieldConfig, type GraphQLSchema } from 'graphql';

/** `sessionDuration` → `session_duration`: how REST spells a name of GraphQL's. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/** A root field whose arguments are spelled in snake_case; its resolver still gets them by their own names. */
const renameArguments = (config: FieldConfig): FieldConfig => {
  const original = new Map(Object.keys(config.args ?? {}).map((name) => [snakeCase(name), name]));
  const resolve = config.resolve ?? defaultFieldResolver;
  return {
    ...config,
    args: Object.fromEntries(Object.entries(config.args ?? {}).map(([name, arg]) => [snakeCase(name), arg])),
    resolve: (root, args, context, info) => {
      const named = Object.entries(args).map(([name, value]) => [original.get(name) ?? name, value]);
      return resolve(root, Object.fromEntries(named), context, info);
    },
  };
};

/** The same schema, with output fields and arguments spelled in snake_case. Root fields keep their names. */
export const toRestSchema = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.ROOT_FIELD]: renameArguments,
    [MapperKind.OBJECT_FIELD]: (config, name) => {
      const resolve: FieldConfig['resolve'] =
        config.resolve ??
        ((source, args, context, info) =>
          defaultFieldResolver(source, args, context, { ...info, fieldName: name }));
      return [snakeCase(name), { ...config, resolve }];
    },
  });
