import {
  execute,
  type GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  getNamedType,
  isObjectType,
  parse,
} from 'graphql';
import { snakeCase } from './names.ts';

/** All that a type has, in REST's names. */
const selectionOf = (type: GraphQLObjectType, without: readonly string[]): string => {
  const fields = Object.values(type.getFields())
    .filter(({ name, extensions }) => !extensions['graphqlOnly'] && !without.includes(name))
    .map(({ name, type: inner }) => {
      const named = getNamedType(inner);
      return `${snakeCase(name)}: ${name}${isObjectType(named) ? selectionOf(named, []) : ''}`;
    });
  return `{ ${fields.join(' ')} }`;
};

/** Writes a record as REST has it. */
export type RecordWriter = (record: object, context: object) => Promise<object>;

/**
 * Makes what writes records of a type as the operations of REST do, for a path that is none of them.
 * @param type of the schema that REST's operations run on
 * @param without fields that are left out, as GraphQL spells them
 */
export function createRecordWriter(
  type: GraphQLNamedType | undefined,
  without: readonly string[],
): RecordWriter {
  if (!isObjectType(type)) throw new Error('only a type that has fields is written');
  const query = new GraphQLObjectType({ name: 'Record', fields: { record: { type } } });
  const schema = new GraphQLSchema({ query });
  const document = parse(`{ record ${selectionOf(type, without)} }`);
  return async (record, contextValue) => {
    const { data, errors } = await execute({ schema, document, rootValue: { record }, contextValue });
    if (errors?.[0]) throw errors[0];
    return data?.['record'] as object;
  };
}
