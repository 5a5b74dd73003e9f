import { execute, GraphQLObjectType, GraphQLSchema, getNamedType, isObjectType, parse } from 'graphql';
import type { RecordPart } from './openapi.ts';
import { snakeCase } from './rest-schema.ts';

/** Selects all members of a type, with their REST names as aliases: `{ key_prefix: keyPrefix }`. */
const selectionOf = (type: GraphQLObjectType, without: readonly string[]): string => {
  const fields = Object.values(type.getFields())
    .filter(({ name }) => !without.includes(snakeCase(name)))
    .map(({ name, type: inner }) => {
      const named = getNamedType(inner);
      return `${snakeCase(name)}: ${name}${isObjectType(named) ? selectionOf(named, []) : ''}`;
    });
  return `{ ${fields.join(' ')} }`;
};

/** Resolves a record into the JSON object that REST answers. */
export type RecordWriter = (record: object, context: object) => Promise<object>;

/**
 * Makes a writer of records for a path outside the GraphQL schema. The records look as REST operations answer them.
 * @param schema the schema that REST's operations run on
 * @param part the type of the records, and the members that the writer leaves out
 * @throws {Error} if the schema has no such object type
 */
export function createRecordWriter(schema: GraphQLSchema, { of, without }: RecordPart): RecordWriter {
  const type = schema.getType(of);
  if (!isObjectType(type)) throw new Error(`${of} is no type with fields`);
  const query = new GraphQLObjectType({ name: 'Record', fields: { record: { type } } });
  const ofRecord = new GraphQLSchema({ query });
  const document = parse(`{ record ${selectionOf(type, without)} }`);
  return async (record, contextValue) => {
    const { data, errors } = await execute({
      schema: ofRecord,
      document,
      rootValue: { record },
      contextValue,
    });
    if (errors?.[0]) throw errors[0];
    return data?.['record'] as object;
  };
}
