import { type GraphQLOutputType, getNamedType, isObjectType } from 'graphql';

/**
 * Selects all fields of a type that are not deprecated, with their own fields; nothing if the type is a leaf.
 * @param indent the indent of the line before it
 */
export function selectionOf(type: GraphQLOutputType, indent: string): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const inner = `${indent}  `;
  const fields = Object.values(named.getFields())
    .filter(({ deprecationReason }) => deprecationReason == null)
    .map((field) => `${inner}${field.name}${selectionOf(field.type, inner)}\n`);
  return ` {\n${fields.join('')}${indent}}`;
}
