import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type NameNode,
  parse,
  print,
  type SelectionSetNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { nodeTypeOf } from './lists.ts';
import { restName, snakeCase } from './names.ts';

const nameNode = (value: string): NameNode => ({ kind: Kind.NAME, value });

const selectionOf = (document: DocumentNode): SelectionSetNode | undefined => {
  const [operation] = document.definitions;
  return operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet : undefined;
};

/** What REST needs of a connection whose nodes are selected. */
const connectionOf = (nodes: SelectionSetNode): SelectionSetNode | undefined =>
  selectionOf(parse(`{ edges { node ${print(nodes)} } pageInfo { hasNextPage endCursor } }`));

/** A field in REST's names as the field of the schema, with REST's name for an alias. */
function toGraphqlField(node: FieldNode, { name, args, type }: GraphQLField<unknown, unknown>): FieldNode {
  const original = new Map(args.map((argument) => [restName(argument.name, type), argument.name]));
  const renamed = node.arguments?.map((argument) => ({
    ...argument,
    name: nameNode(original.get(argument.name.value) ?? argument.name.value),
  }));
  const selectionSet =
    node.selectionSet && nodeTypeOf(type) ? connectionOf(node.selectionSet) : node.selectionSet;
  return {
    ...node,
    name: nameNode(name),
    ...(name !== node.name.value && { alias: node.alias ?? node.name }),
    ...(renamed && { arguments: renamed }),
    ...(selectionSet && { selectionSet }),
  };
}

/**
 * An operation on the schema as REST has it, as one on the schema itself: what REST spells otherwise becomes an alias,
 * and a list the connection that it stands for. So its answer is in REST's names without a resolver between.
 * @param document the operation on `restSchema`
 * @throws {Error} where it asks for a field that the schema does not have
 */
export function toGraphqlDocument(
  document: DocumentNode,
  restSchema: GraphQLSchema,
  schema: GraphQLSchema,
): DocumentNode {
  const typeInfo = new TypeInfo(restSchema);
  const leave = (node: FieldNode): FieldNode => {
    const { name: type = '' } = typeInfo.getParentType() ?? {};
    const parent = schema.getType(type);
    const fields = isObjectType(parent) ? Object.values(parent.getFields()) : [];
    const field = fields.find(({ name }) => name === node.name.value || snakeCase(name) === node.name.value);
    if (!field) throw new Error(`the schema has no field for ${type}.${node.name.value}`);
    return toGraphqlField(node, field);
  };
  return visit(document, visitWithTypeInfo(typeInfo, { Field: { leave } }));
}
