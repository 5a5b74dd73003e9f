import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * The root fields that an operation selects, including those in fragments. The directives `@skip` and `@include` are
 * ignored.
 */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  // The first use of a fragment removes it from the map, so a cycle of fragments ends.
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition.selectionSet);
  }
  const fieldsIn = (set: SelectionSetNode | undefined): FieldNode[] =>
    set?.selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsIn(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      fragments.delete(selection.name.value);
      return fieldsIn(fragment);
    }) ?? [];
  return fieldsIn(operation.selectionSet);
}

/** The names of the root fields that an operation selects. */
export const rootFieldNames = (document: DocumentNode, operation: OperationDefinitionNode): string[] =>
  rootFields(document, operation).map(({ name }) => name.value);

/**
 * Whether a document asks only for introspection; the service answers only such a document without a token. A
 * fragment on one of this schema's own types counts as more. Otherwise a validation message would tell a stranger the
 * names of the type's fields.
 */
export const isIntrospection = ({ definitions }: DocumentNode): boolean =>
  definitions.every((definition) =>
    definition.kind === Kind.FRAGMENT_DEFINITION
      ? definition.typeCondition.name.value.startsWith('__')
      : definition.kind === Kind.OPERATION_DEFINITION &&
        definition.selectionSet.selections.every(
          (selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'),
        ),
  );

/** The root fields of a schema that read and that change something, by name. */
export const rootFieldsOf = (schema: GraphQLSchema): Record<string, GraphQLField<unknown, unknown>> => ({
  ...schema.getQueryType()?.getFields(),
  ...schema.getMutationType()?.getFields(),
});
