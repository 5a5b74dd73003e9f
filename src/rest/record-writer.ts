import { execute, GraphQLObjectType, GraphQLSchema, getNamedType, isObjectType, parse } from 'graphql';
import type { RecordPart } from './openapi.ts';
import { snakeCase } from './rest-schema.ts';

/** What a type has, in REST's names. */
const selectionOf = (type: GraphQLObjectType, without: readonly string[]): string => {
  const fields = Object.values(type.getFields())
    .filter(({ name }) => !without.includes(snakeCase(name)))
    .map(({ name, type: inner }) => {
      const named = getNamedType(inner);
      return `${snakeCase(name)}: ${name}${isObjectType(named) ? selectionOf(named, []) : ''}`;
    });
  return `{ ${fields.join(' ')} }`;
};

/** Writes a record as REST has it. */
export type RecordWriter = (record: object, context: object) => Promise<object>;

/**
 * Makes what writes records as the operations of REST do, for a path that is none of them.
 * @param schema the one that REST's operations run on
 * @param part what is written of which type
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
