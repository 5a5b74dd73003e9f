import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** The root fields that an operation selects, through fragments, whatever `@skip` says. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] {
  // A fragment is taken out when it is first followed: a cycle of them ends.
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
 * Whether a document asks about the schema alone: only such a one is answered without a token. Fragments on types of
 * ours count as asking for more, so that no validation message tells a stranger what their fields are.
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
