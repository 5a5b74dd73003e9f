import { getOperationAST, type OperationDefinitionNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { rootFieldNames } from '../auth/root-fields.ts';
import type { Exchange } from '../http/exchange.ts';

/** Notes which root field a GraphQL request runs, once it is known to be one of the schema's; REST's is noted by its route. */
export function useOperationRecord(): Plugin<Exchange> {
  const known = new WeakMap<OperationDefinitionNode, string>();
  return {
    onExecute: ({ args: { document, operationName, contextValue } }) => {
      const { record } = contextValue;
      const operation = record.operation ? undefined : getOperationAST(document, operationName);
      if (!operation) return;
      const name = known.get(operation) ?? describe(rootFieldNames(document, operation));
      known.set(operation, name);
      record.operation = name;
    },
  };
}

/** One word for the root fields of an operation: there are too many combinations to tell them apart. */
const describe = (names: readonly string[]): string => {
  const [first = 'introspection', ...others] = new Set(names.filter((name) => !name.startsWith('__')));
  return others.length > 0 ? 'several' : first;
};
