import { type GraphQLOutputType, getNamedType, isObjectType } from 'graphql';

/**
 * Selects all that a type has and that is not deprecated, down to its leaves; nothing where it is a leaf itself.
 * @param indent of the line that it stands in
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
