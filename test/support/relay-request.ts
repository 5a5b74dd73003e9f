import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isListType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { ConcreteRequest } from 'relay-runtime';

const toArgument = ({ name: { value: name }, value }: ArgumentNode) =>
  value.kind === Kind.VARIABLE
    ? { kind: 'Variable', name, variableName: value.name.value }
    : { kind: 'Literal', name, value: valueFromASTUntyped(value) };

/**
 * What relay-compiler makes of an operation without fragments. That compiler is a program of 20 MB for each platform;
 * Relay's runtime, which reads this, is the same.
 */
export function relayRequest(text: string, schema: GraphQLSchema): ConcreteRequest {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation?.name) throw new Error('there is no operation with a name');
  const typeInfo = new TypeInfo(schema);
  const leave = ({ name, alias, arguments: given = [], selectionSet }: FieldNode) => {
    const type = typeInfo.getType();
    const field = {
      alias: alias?.value ?? null,
      name: name.value,
      args: given.length > 0 ? given.map(toArgument) : null,
      storageKey: null,
    };
    if (!type || !isObjectType(getNamedType(type))) return { kind: 'ScalarField', ...field };
    return {
      kind: 'LinkedField',
      ...field,
      concreteType: getNamedType(type).name,
      plural: isListType(getNullableType(type)),
      selections: selectionSet,
    };
  };
  // The visitor puts Relay's nodes in the place of the document's own.
  const { selectionSet: selections } = visit(
    operation,
    visitWithTypeInfo(typeInfo, { Field: { leave }, SelectionSet: { leave: (set) => set.selections } }),
  ) as unknown as { selectionSet: readonly object[] };
  const { value: operationName } = operation.name;
  const argumentDefinitions = (operation.variableDefinitions ?? []).map(({ variable }) => ({
    kind: 'LocalArgument',
    name: variable.name.value,
    defaultValue: null,
  }));
  const root = { argumentDefinitions, name: operationName, selections };
  return {
    kind: 'Request',
    fragment: {
      kind: 'Fragment',
      ...root,
      type: operation.operation === 'query' ? 'Query' : 'Mutation',
      metadata: null,
      abstractKey: null,
    },
    operation: { kind: 'Operation', ...root },
    params: {
      id: null,
      cacheID: text,
      metadata: {},
      name: operationName,
      operationKind: operation.operation,
      text,
    },
  } as unknown as ConcreteRequest;
}
