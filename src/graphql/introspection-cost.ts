import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  parse,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import { once } from '../once.ts';

/** Finds a fragment of a document by its name; undefined or null if missing. */
export type FindFragment = (name: string) => FragmentDefinitionNode | null | undefined;

/** Finds the fragments of a document. */
export const fragmentsIn = ({ definitions }: DocumentNode): FindFragment => {
  const fragments = definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return (wanted) => fragments.find(({ name }) => name.value === wanted);
};

type Field = GraphQLField<unknown, unknown>;

/**
 * The greatest depth that the count follows. Validation refuses deeper documents and fragments that spread
 * themselves, but the count may run before that.
 */
const mostDeep = 100;

/**
 * Counts the values in the answer to `__schema` or `__type`, by reading the schema as the executor would. The product
 * of the lists' lengths would be far more than the real number.
 * @param most the count stops above this; a document that is too deep to get an answer also counts as more
 */
export function countIntrospection(
  schema: GraphQLSchema,
  node: FieldNode,
  findFragment: FindFragment,
  most: number,
): number {
  const info = { schema } as GraphQLResolveInfo;
  const collect = once((set: SelectionSetNode) => fieldsOf(set, findFragment));
  let count = 0;

  const visit = (field: FieldNode, definition: Field | undefined, source: unknown, depth: number): void => {
    count = depth > mostDeep ? most + 1 : count + 1;
    const type = getNamedType(definition?.type);
    if (!isObjectType(type) || !field.selectionSet) return;
    for (const value of valuesOf(field, definition, source))
      visitEach(collect(field.selectionSet), type, value, depth + 1);
  };

  const visitEach = (
    fields: readonly FieldNode[],
    type: GraphQLObjectType,
    source: unknown,
    depth: number,
  ) => {
    for (const field of fields) {
      if (count > most) return;
      visit(field, type.getFields()[field.name.value], source, depth);
    }
  };

  const valuesOf = (field: FieldNode, definition: Field | undefined, source: unknown): unknown[] => {
    const args = argumentsOf(field);
    // A variable may name any type, so it counts as all types.
    if (definition === TypeMetaFieldDef && args.name === undefined) return Object.values(schema.getTypeMap());
    const value = definition?.resolve?.(source, args, undefined, info);
    return Array.isArray(value) ? value : [value].filter((one) => one !== undefined && one !== null);
  };

  visit(
    node,
    node.name.value === SchemaMetaFieldDef.name ? SchemaMetaFieldDef : TypeMetaFieldDef,
    undefined,
    1,
  );
  return count;
}

/** The fields of a selection, with the fields of each fragment once, as the executor collects them. */
function fieldsOf(set: SelectionSetNode, findFragment: FindFragment): FieldNode[] {
  const followed = new Set<string>();
  const collect = (selection: SelectionNode): FieldNode[] => {
    if (selection.kind === Kind.FIELD) return [selection];
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet.selections.flatMap(collect);
    const name = selection.name.value;
    if (followed.has(name)) return [];
    followed.add(name);
    return findFragment(name)?.selectionSet.selections.flatMap(collect) ?? [];
  };
  return set.selections.flatMap(collect);
}

/**
 * The arguments of an introspection field: `name` if it is a literal; deprecated members count unless a literal
 * excludes them.
 */
function argumentsOf({ arguments: given = [] }: FieldNode) {
  const written = (argument: string) => given.find(({ name }) => name.value === argument)?.value;
  const name = written('name');
  const deprecated = written('includeDeprecated');
  return {
    name: name?.kind === Kind.STRING ? name.value : undefined,
    includeDeprecated: deprecated !== undefined && (deprecated.kind !== Kind.BOOLEAN || deprecated.value),
  };
}

const usualQuery = parse(
  getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  }),
);

/** The number of values in the answer to the usual introspection query of tools, with all its options. */
export const usualIntrospection = once((schema: GraphQLSchema): number => {
  const operation = getOperationAST(usualQuery);
  const findFragment = fragmentsIn(usualQuery);
  const fields = operation ? fieldsOf(operation.selectionSet, findFragment) : [];
  return fields.reduce(
    (count, field) => count + countIntrospection(schema, field, findFragment, Number.POSITIVE_INFINITY),
    0,
  );
});
