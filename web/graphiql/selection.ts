import { type GraphQLOutputType, getNamedType, getNullableType, isListType, isObjectType } from 'graphql';

/** Whether a type has lists of numbers: they are for charts, and would hide the rest of a response. */
const isSeries = (type: GraphQLOutputType): boolean => {
  const named = getNamedType(type);
  return (
    isObjectType(named) &&
    Object.values(named.getFields()).some(
      (field) => isListType(getNullableType(field.type)) && getNamedType(field.type).name === 'Int',
    )
  );
};

/**
 * Selects all fields of a type that are not deprecated, with their own fields; nothing if the type is a leaf.
 * @param indent the indent of the line before it
 */
export function selectionOf(type: GraphQLOutputType, indent: string): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const inner = `${indent}  `;
  const fields = Object.values(named.getFields())
    .filter(({ deprecationReason, type: inside }) => deprecationReason == null && !isSeries(inside))
    .map((field) => `${inner}${field.name}${selectionOf(field.type, inner)}\n`);
  return ` {\n${fields.join('')}${indent}}`;
}
