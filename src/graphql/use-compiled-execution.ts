import type { DocumentNode, ExecutionArgs } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Plugin } from 'graphql-yoga';

type Run = CompiledQuery['query'];

/**
 * Executes an operation that comes again as compiled code: the executor would work out anew each time how its fields
 * are resolved. What comes once only is not worth compiling.
 */
export function useCompiledExecution(): Plugin {
  // By operation as well: of one document's operations each has its own code. Gone with the document.
  const known = new WeakMap<DocumentNode, Map<string, Run | undefined>>();

  const find = (args: ExecutionArgs): Run | undefined => {
    const name = args.operationName ?? '';
    const operations = known.get(args.document) ?? new Map<string, Run | undefined>();
    known.set(args.document, operations);
    if (operations.get(name)) return operations.get(name);
    operations.set(name, operations.has(name) ? compile(args) : undefined);
    return operations.get(name);
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
