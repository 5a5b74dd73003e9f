import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  type OperationDefinitionNode,
  type SourceLocation,
  visit,
} from 'graphql';
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
      if (!run) return undefined;
      setExecuteFn((given) => run(given.rootValue, given.contextValue, given.variableValues));
      return {
        onExecuteDone: ({ result, setResult }) => {
          const { errors } = result as ExecutionResult;
          if (!errors) return;
          setResult({ ...result, errors: errors.map((error) => locate(error, args.document)) });
        },
      };
    },
  };
}

/** An error of compiled code as the executor makes it: it knows its field, and not only where that is written. */
function locate(error: GraphQLError, document: DocumentNode): GraphQLError {
  const { message, path, originalError, extensions, locations = [] } = error;
  const nodes = locations.flatMap((location) => fieldsAt(document, location));
  return new GraphQLError(message, {
    nodes,
    path: path ?? null,
    originalError: originalError ?? null,
    extensions,
  });
}

function fieldsAt(document: DocumentNode, { line, column }: SourceLocation): FieldNode[] {
  const found: FieldNode[] = [];
  const enter = (field: FieldNode): void => {
    const start = field.loc?.startToken;
    if (start?.line === line && start.column === column) found.push(field);
  };
  visit(document, { Field: { enter } });
  return found;
}

/** @returns undefined for what cannot be compiled; the executor then says why it cannot be run */
const compile = ({ schema, document, operationName }: ExecutionArgs): Run | undefined => {
  const compiled = compileQuery(schema, document, operationName ?? '');
  return isCompiledQuery(compiled) ? compiled.query : undefined;
};
