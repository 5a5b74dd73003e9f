import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { pageSize } from '../database/page.ts';
import { factsOf } from './field-facts.ts';
import { countIntrospection, usualIntrospection } from './introspection-cost.ts';

/** What the introspection counts that tools ask for; others count by how many values they answer beside it. */
const introspectionCost = 2000;

/**
 * How many values an answer may hold at most: each field counts once for each member of the lists that it stands in. A
 * list counts as long as its page is in the document; where that is a variable or left out, as the longest page; one
 * that is never longer, by its fact `atMost`, as long as that.
 * @param limit where introspection is counted no further
 */
export function costOf(
  operation: OperationDefinitionNode,
  context: ValidationContext,
  limit: number,
): number {
  const schema = context.getSchema();
  const fragments = new Map<string, number>();

  const costOfSet = (set: SelectionSetNode, type: GraphQLNamedType | undefined, size: number): number =>
    set.selections.reduce((cost, selection) => {
      if (selection.kind === Kind.FIELD) return cost + costOfField(selection, fieldOf(type, selection), size);
      if (selection.kind === Kind.FRAGMENT_SPREAD) return cost + costOfFragment(selection.name.value, size);
      const narrower = named(schema, selection.typeCondition?.name.value) ?? type;
      return cost + costOfSet(selection.selectionSet, narrower, size);
    }, 0);

  const costOfField = (node: FieldNode, field: Field | undefined, outerSize: number): number => {
    if (!node.selectionSet) return 1;
    if (node.name.value.startsWith('__')) return costOfIntrospection(node);
    const size = pageSizeOf(node, field) ?? (field && factsOf(field).atMost) ?? outerSize;
    const inner = costOfSet(node.selectionSet, field && getNamedType(field.type), size);
    return 1 + (field && isListType(getNullableType(field.type)) ? size : 1) * inner;
  };

  const costOfIntrospection = (node: FieldNode): number => {
    const usual = usualIntrospection(schema);
    const findFragment = (name: string) => context.getFragment(name);
    const most = (limit / introspectionCost) * usual;
    return Math.ceil((introspectionCost * countIntrospection(schema, node, findFragment, most)) / usual);
  };

  const costOfFragment = (name: string, size: number): number => {
    const key = `${name} ${size}`;
    const known = fragments.get(key);
    if (known !== undefined) return known;
    // A cycle of fragments ends here; validation refuses it.
    fragments.set(key, 0);
    const fragment = context.getFragment(name);
    const cost = fragment
      ? costOfSet(fragment.selectionSet, named(schema, fragment.typeCondition.name.value), size)
      : 0;
    fragments.set(key, cost);
    return cost;
  };

  return costOfSet(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined, pageSize);
}

type Field = GraphQLField<unknown, unknown>;

const named = (schema: GraphQLSchema, name: string | undefined): GraphQLNamedType | undefined =>
  name === undefined ? undefined : schema.getType(name);

const fieldOf = (type: GraphQLNamedType | undefined, node: FieldNode): Field | undefined =>
  isObjectType(type) ? type.getFields()[node.name.value] : undefined;

/** The size of the page that a connection is asked for; undefined for a field that is none. */
const pageSizeOf = (node: FieldNode, field: Field | undefined): number | undefined => {
  if (!field?.args.some(({ name }) => name === 'first')) return undefined;
  const written = node.arguments?.flatMap(({ name, value }) =>
    (name.value === 'first' || name.value === 'last') && value.kind === Kind.INT ? [Number(value.value)] : [],
  );
  // What lies outside of 0 to 100 is refused when it is run.
  return written?.length ? Math.min(Math.max(...written, 0), pageSize) : pageSize;
};
