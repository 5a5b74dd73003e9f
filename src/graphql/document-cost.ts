import {
  type DocumentNode,
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
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';
import { pageBytes, pageSize } from '../database/page.ts';
import { factsOf, ordinaryBytes } from './field-facts.ts';
import { countIntrospection, fragmentsIn, usualIntrospection } from './introspection-cost.ts';

/** What the introspection counts that tools ask for; others count by how many values they answer beside it. */
const introspectionCost = 2000;

/** The bytes of an answer that cost as much as one value. */
const bytesPerValue = 400;

/** What a part of an answer may hold at the most. */
interface Size {
  readonly values: number;
  /** The bytes of names and punctuation, and of values that have a small fixed size. */
  readonly bytes: number;
  /** The bytes of values from texts of rows. The page of a list is bounded by these. */
  readonly texts: number;
  /** The number of aliases in the document's part: with each, the same text may be in the answer once more. */
  readonly aliases: number;
}

const nothing: Size = { values: 0, bytes: 0, texts: 0, aliases: 0 };

const sum = (one: Size, other: Size): Size => ({
  values: one.values + other.values,
  bytes: one.bytes + other.bytes,
  texts: one.texts + other.texts,
  aliases: one.aliases + other.aliases,
});

/** Some items of a list: `values` of them, and `most` of them in bytes. */
const timesOf = (item: Size, values: number, most: number): Size => ({
  values: values * item.values,
  // Braces and a comma.
  bytes: most * (item.bytes + 3),
  texts: most * item.texts,
  aliases: item.aliases,
});

/**
 * A page ends by its bytes, after the row that reaches them.
 * @param size the number of rows
 */
const asPage = (page: Size, size: number): Size => {
  const row = size === 0 ? 0 : page.texts / size;
  return { ...page, texts: Math.min(page.texts, (1 + page.aliases) * (pageBytes + row)) };
};

/** The part of a document's validation that finds fragments. */
type Document = Pick<ValidationContext, 'getSchema' | 'getFragment'>;

const sizeOfIntrospection = (node: FieldNode, document: Document, limit: number): Size => {
  const schema = document.getSchema();
  const usual = usualIntrospection(schema);
  const findFragment = (name: string) => document.getFragment(name);
  const most = (limit / introspectionCost) * usual;
  const values = Math.ceil(
    (introspectionCost * countIntrospection(schema, node, findFragment, most)) / usual,
  );
  return { ...nothing, values: values - 1, bytes: values * bytesPerValue };
};

/**
 * What the answer to an operation may cost at the most: its values, or a value for each 400 of its bytes if that is
 * more. So no answer has more bytes than 400 times its cost.
 *
 * Each field counts once for each member of the lists that it stands in. A list counts as long as its page is in the
 * document; where that is a variable or left out, as the longest page; one that is never longer, by its fact `atMost`,
 * as long as that. A value counts as long as its fact `mostBytes` says; other values have a small fixed size.
 * @param limit where introspection is counted no further
 */
export function costOf(operation: OperationDefinitionNode, document: Document, limit: number): number {
  const { values, bytes, texts } = sizeOfAnswer(operation, document, limit);
  return Math.max(values, Math.ceil((bytes + texts) / bytesPerValue));
}

/** The greatest length of the answer to an operation, in bytes. */
export function longestAnswer(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  document: DocumentNode,
): number {
  const found: Document = { getSchema: () => schema, getFragment: fragmentsIn(document) };
  const { bytes, texts } = sizeOfAnswer(operation, found, introspectionCost);
  return bytes + texts;
}

function sizeOfAnswer(operation: OperationDefinitionNode, document: Document, limit: number): Size {
  const schema = document.getSchema();
  const fragments = new Map<string, Size>();

  const sizeOf = (selection: SelectionNode, type: Type, size: number): Size => {
    if (selection.kind === Kind.FIELD) return sizeOfField(selection, type, size);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return sizeOfFragment(selection.name.value, size);
    const narrower = named(schema, selection.typeCondition?.name.value) ?? type;
    return sizeOfSet(selection.selectionSet, narrower, size);
  };

  const sizeOfSet = (set: SelectionSetNode | undefined, type: Type, size: number): Size =>
    (set?.selections ?? []).reduce((whole, each) => sum(whole, sizeOf(each, type, size)), nothing);

  const sizeOfField = (node: FieldNode, type: Type, outerSize: number): Size => {
    const field = fieldOf(type, node);
    const inner = node.selectionSet ? sizeInside(node, field, outerSize) : sizeOfValue(field);
    return sum(inner, sizeOfName(node));
  };

  const sizeInside = (node: FieldNode, field: Field | undefined, outerSize: number): Size => {
    if (node.name.value.startsWith('__')) return sizeOfIntrospection(node, document, limit);
    const { atMost, usually } = field ? factsOf(field) : {};
    const page = pageSizeOf(node, field);
    const size = page ?? atMost ?? outerSize;
    const inner = sizeOfSet(node.selectionSet, field && getNamedType(field.type), size);
    if (page !== undefined) return asPage(inner, page);
    const isList = field && isListType(getNullableType(field.type));
    return isList ? timesOf(inner, usually ?? size, size) : inner;
  };

  const sizeOfFragment = (name: string, size: number): Size => {
    const key = `${name} ${size}`;
    const known = fragments.get(key);
    if (known) return known;
    // A cycle of fragments ends here; validation refuses it.
    fragments.set(key, nothing);
    const { selectionSet, typeCondition } = document.getFragment(name) ?? {};
    const found = sizeOfSet(selectionSet, named(schema, typeCondition?.name.value), size);
    fragments.set(key, found);
    return found;
  };

  const root = schema.getRootType(operation.operation) ?? undefined;
  return sizeOfSet(operation.selectionSet, root, pageSize);
}

type Field = GraphQLField<unknown, unknown>;

/** The type that a selection is on; undefined for one that the schema does not have. */
type Type = GraphQLNamedType | undefined;

const named = (schema: GraphQLSchema, name = ''): Type => schema.getType(name);

/** The bytes of a value that is no object: from a text of a row, or of a small fixed size. */
const sizeOfValue = (field: Field | undefined): Size => {
  const texts = field && factsOf(field).mostBytes;
  return texts === undefined ? { ...nothing, bytes: ordinaryBytes } : { ...nothing, texts };
};

/** A field beside what is inside it: the name in quotes, a colon and a comma; braces. */
const sizeOfName = ({ alias, name }: FieldNode): Size => ({
  values: 1,
  bytes: (alias ?? name).value.length + 6,
  texts: 0,
  aliases: alias ? 1 : 0,
});

const fieldOf = (type: Type, node: FieldNode): Field | undefined =>
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
