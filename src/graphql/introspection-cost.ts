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
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
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

/** What an introspection is counted by. */
interface Counting {
  readonly findFragment: FindFragment;
  /** The variables of the request; missing: they may have any value. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** The count stops above this; a document that is too deep to get an answer also counts as more. */
  readonly most: number;
  /**
   * What a value counts as.
   * @param read reads the value, if it is no object
   */
  readonly weigh: (field: FieldNode, read?: () => unknown) => number;
}

/**
 * Counts the values in the answer to `__schema` or `__type`, by reading the schema as the executor would. The product
 * of the lists' lengths would be far more than the real number.
 * @param most the count stops above this; a document that is too deep to get an answer also counts as more
 */
export const countIntrospection = (
  schema: GraphQLSchema,
  node: FieldNode,
  findFragment: FindFragment,
  most: number,
): number => walk(schema, node, { findFragment, most, weigh: () => 1 });

/** The least bytes of a value beside its name and its text: quotes, a colon, and a comma or a brace. */
const leastBytes = 6;

/**
 * The length of the answer to an operation that asks only for introspection, in bytes, before it runs. The answer is
 * not shorter, unless the document selects something twice or skips something by `@skip` or `@include`.
 * @param variables the variables of the request
 * @param most the count stops above this
 */
export const lengthOfIntrospection = (
  schema: GraphQLSchema,
  { selectionSet }: OperationDefinitionNode,
  document: DocumentNode,
  variables: Counting['variables'] = {},
  most: number,
): number => {
  const findFragment = fragmentsIn(document);
  const weigh: Counting['weigh'] = ({ alias, name }, read) => {
    const value = read?.();
    return (alias ?? name).value.length + (typeof value === 'string' ? value.length : 0) + leastBytes;
  };
  let length = 0;
  for (const node of fieldsOf(selectionSet, findFragment)) {
    if (length <= most) length += walk(schema, node, { findFragment, variables, most: most - length, weigh });
  }
  return length;
};

const rootFieldOf = ({ name }: FieldNode): Field =>
  name.value === SchemaMetaFieldDef.name ? SchemaMetaFieldDef : TypeMetaFieldDef;

function walk(schema: GraphQLSchema, node: FieldNode, counting: Counting): number {
  const { findFragment, variables, most, weigh } = counting;
  const info = { schema } as GraphQLResolveInfo;
  const collect = once((set: SelectionSetNode) => fieldsOf(set, findFragment));
  let count = 0;

  const visit = (field: FieldNode, definition: Field | undefined, source: unknown, depth: number): void => {
    const type = getNamedType(definition?.type);
    const isObject = isObjectType(type);
    const read = isObject ? undefined : () => definition?.resolve?.(source, {}, undefined, info);
    count = depth > mostDeep ? most + 1 : count + weigh(field, read);
    if (!isObject || !field.selectionSet) return;
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
    const args = argumentsOf(field, variables);
    // A variable whose value is not known may name any type, so it counts as all types.
    if (definition === TypeMetaFieldDef && args.name === undefined) return Object.values(schema.getTypeMap());
    const value = definition?.resolve?.(source, args, undefined, info);
    return Array.isArray(value) ? value : [value].filter((one) => one !== undefined && one !== null);
  };

  visit(node, rootFieldOf(node), undefined, 1);
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
 * The arguments of an introspection field: `name` if it is a literal, or a variable whose value is known; deprecated
 * members count unless a literal excludes them.
 */
function argumentsOf({ arguments: given = [] }: FieldNode, variables: Counting['variables']) {
  const written = (argument: string) => given.find(({ name }) => name.value === argument)?.value;
  const name = written('name');
  const deprecated = written('includeDeprecated');
  return {
    name: name && textOf(name, variables),
    includeDeprecated: deprecated !== undefined && (deprecated.kind !== Kind.BOOLEAN || deprecated.value),
  };
}

/** The text that an argument stands for; undefined if it is not known. */
function textOf(value: ValueNode, variables: Counting['variables']): string | undefined {
  if (value.kind === Kind.STRING) return value.value;
  // Inherited properties of the object are not the caller's.
  const isKnown = value.kind === Kind.VARIABLE && variables && Object.hasOwn(variables, value.name.value);
  const given = isKnown ? variables[value.name.value] : undefined;
  return typeof given === 'string' ? given : undefined;
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
