import { type DocumentNode, type ExecutionArgs, execute } from 'graphql';
import type { Plugin } from 'graphql-yoga';

/** Runs an operation as compiled code: root value, context, variables. */
type RunCompiled = (
  root: unknown,
  context: unknown,
  variables: ExecutionArgs['variableValues'],
) => ReturnType<typeof execute>;

/** The compiled code of a document of ours; undefined for any other document. */
export type CompiledOf = (document: DocumentNode) => RunCompiled | undefined;

/** Each error of graphql-js about a variable repeats all of it. What is wrong with variables `useInputErrors` tells. */
const options = { maxCoercionErrors: 1 };

/**
 * Executes what callers ask for by graphql-js's own executor, in place of Yoga's: a document is read anew for each
 * request, nothing is compiled of it, and nothing written into it.
 */
export const useExecutor = (compiledOf: CompiledOf): Plugin => ({
  onExecute: ({ args, setExecuteFn }) => {
    const run = compiledOf(args.document);
    setExecuteFn(
      run
        ? (given) => run(given.rootValue, given.contextValue, given.variableValues)
        : (given) => execute({ ...given, options }),
    );
  },
});
