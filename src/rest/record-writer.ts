import { execute, GraphQLObjectType, GraphQLSchema, getNamedType, isObjectType, parse } from 'graphql';
import type { RecordPart } from './openapi.ts';
import { snakeCase, withRestValues } from './rest-schema.ts';

/** Selects members of a type, with their REST names as aliases: `{ key_prefix: keyPrefix }`. */
const selectionOf = (type: GraphQLObjectType, isMember = (_name: string) => true): string => {
  const fields = Object.values(type.getFields())
    .filter(({ name }) => isMember(snakeCase(name)))
    .map(({ name, type: inner }) => {
      const named = getNamedType(inner);
      return `${snakeCase(name)}: ${name}${isObjectType(named) ? selectionOf(named) : ''}`;
    });
  return `{ ${fields.join(' ')} }`;
};

/**
 * Makes a writer of records for a path outside the GraphQL schema. The records look as REST operations answer them.
 * @param graphqlSchema the schema of the operations
 * @param part the types of the records, and their members
 * @throws {Error} if the schema has no such object types
 */
export function createRecordWriter(
  graphqlSchema: GraphQLSchema,
  { of, without, beside }: Omit<RecordPart, 'description'>,
) {
  const schema = withRestValues(graphqlSchema);
  const typeOf = (name: string): GraphQLObjectType => {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new Error(`${name} is no type with fields`);
    return type;
  };
  const types = { record: typeOf(of), beside: typeOf(beside.of) };
  const fields = { record: { type: types.record }, beside: { type: types.beside } };
  const query = new GraphQLObjectType({ name: 'Record', fields });
  const ofRecord = new GraphQLSchema({ query });
  const selections = {
    record: selectionOf(types.record, (name) => !without.includes(name)),
    beside: selectionOf(types.beside, (name) => beside.members.includes(name)),
  };
  const document = parse(`{ record ${selections.record} beside ${selections.beside} }`);
  /** Resolves a record, and what belongs to it, into the JSON object that REST answers. */
  return async (record: object, more: object, contextValue: object): Promise<object> => {
    const { data, errors } = await execute({
      schema: ofRecord,
      document,
      rootValue: { record, beside: more },
      contextValue,
    });
    if (errors?.[0]) throw errors[0];
    return { ...(data?.['record'] as object), ...(data?.['beside'] as object) };
  };
}

/** See {@link createRecordWriter}. */
export type RecordWriter = ReturnType<typeof createRecordWriter>;
