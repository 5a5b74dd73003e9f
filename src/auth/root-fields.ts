import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** The names of the root fields that an operation selects, through fragments, whatever `@skip` says. */
export function rootFieldNames(document: DocumentNode, operation: OperationDefinitionNode): string[] {
  // A fragment is taken out when it is first followed: a cycle of them ends.
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition.selectionSet);
  }
  const namesIn = (set: SelectionSetNode | undefined): string[] =>
    set?.selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection.name.value];
      if (selection.kind === Kind.INLINE_FRAGMENT) return namesIn(selection.selectionSet);
      const fragment = fragments.get(selection.name.value);
      fragments.delete(selection.name.value);
      return namesIn(fragment);
    }) ?? [];
  return namesIn(operation.selectionSet);
}

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
