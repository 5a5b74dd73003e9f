import {
  defaultFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { factsOf } from './field-facts.ts';

/** The surroundings of a field's resolver. */
interface Surroundings {
  readonly context: object;
  readonly info: GraphQLResolveInfo;
}

function assertFields(type: GraphQLObjectType, record: object, surroundings: Surroundings): void {
  const { context, info } = surroundings;
  for (const field of Object.values(type.getFields())) {
    // These read the database again, and are no part of what was changed.
    if (factsOf(field).notInRest) continue;
    const resolve = field.resolve ?? defaultFieldResolver;
    const value: unknown = resolve(record, {}, context, { ...info, fieldName: field.name });
    assertAnswerable(field.type, value, surroundings);
  }
}

/**
 * Checks that a value can be answered as a type, with all its fields: whoever has changed something must learn what came
 * of it.
 * @throws what the answer would throw
 */
export function assertAnswerable(type: GraphQLOutputType, value: unknown, surroundings: Surroundings): void {
  if (isNonNullType(type)) {
    if (value == null) throw new Error(`a value of ${type} is missing`);
    assertAnswerable(type.ofType, value, surroundings);
    return;
  }
  if (value == null) return;
  if (isLeafType(type)) type.serialize(value);
  else if (isListType(type))
    for (const item of value as Iterable<unknown>) assertAnswerable(type.ofType, item, surroundings);
  else if (isObjectType(type)) assertFields(type, value, surroundings);
}
