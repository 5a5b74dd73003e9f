import { type DocumentNode, Kind, type OperationDefinitionNode, parse, type SelectionSetNode } from 'graphql';

const isOperation = (node: DocumentNode['definitions'][number]): node is OperationDefinitionNode =>
  node.kind === Kind.OPERATION_DEFINITION;

/** The root fields in a selection, also those in fragments. */
function* fieldsIn(
  { selections }: SelectionSetNode,
  fragments: ReadonlyMap<string, SelectionSetNode>,
  seen: Set<string>,
): Generator<string> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) yield selection.name.value;
    else if (selection.kind === Kind.INLINE_FRAGMENT)
      yield* fieldsIn(selection.selectionSet, fragments, seen);
    else if (!seen.has(selection.name.value)) {
      const { value } = selection.name;
      // A fragment may name itself, which the service refuses.
      seen.add(value);
      const fragment = fragments.get(value);
      if (fragment) yield* fieldsIn(fragment, fragments, seen);
    }
  }
}

/**
 * The root fields of the operation that runs.
 * @param query a document of GraphQL
 * @param operationName the operation in it; undefined or null: its only one
 * @returns the names, with repetitions; none if the document cannot be read, which the service says better
 */
export function rootFields(query: string, operationName: string | null | undefined): string[] {
  try {
    const { definitions } = parse(query);
    const fragments = new Map(
      definitions.flatMap((node) =>
        node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
      ),
    );
    const operations = definitions.filter(isOperation);
    const running = operations.filter(({ name }) => !operationName || name?.value === operationName);
    return running.flatMap(({ selectionSet }) => [...fieldsIn(selectionSet, fragments, new Set())]);
  } catch {
    return [];
  }
}
