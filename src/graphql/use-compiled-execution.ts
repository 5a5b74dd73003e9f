import { type ExecutionArgs, getOperationAST, type OperationDefinitionNode } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Plugin } from 'graphql-yoga';

type Run = CompiledQuery['query'];

/**
 * Executes an operation that comes again as compiled code: the executor would work out anew each time how its fields
 * are resolved. What comes once only is not worth compiling.
 */
export function useCompiledExecution(): Plugin {
  // By operation, for a document may hold several; gone with the document.
  const known = new WeakMap<OperationDefinitionNode, Run | undefined>();

  const find = (args: ExecutionArgs): Run | undefined => {
    const operation = getOperationAST(args.document, args.operationName);
    if (!operation) return undefined;
    if (!known.get(operation)) known.set(operation, known.has(operation) ? compile(args) : undefined);
    return known.get(operation);
  };

  return {
    onExecute: ({ args, setExecuteFn }) => {
      const run = find(args);
      if (run) setExecuteFn((given) => run(given.rootValue, given.contextValue, given.variableValues));
    },
  };
}

/** @returns undefined for what cannot be compiled; the executor then says why it cannot be run */
const compile = ({ schema, document, operationName }: ExecutionArgs): Run | undefined => {
  const compiled = compileQuery(schema, document, operationName ?? '');
  return isCompiledQuery(compiled) ? compiled.query : undefined;
};
