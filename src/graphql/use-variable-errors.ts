import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isInputType,
  typeFromAST,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { badUserInput, type InputIssue } from '../errors.ts';
import { inputIssues } from './input-issues.ts';

/** What a request's execution was given. */
interface Execution {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null;
  readonly variableValues?: Record<string, unknown> | null;
}

/** What is wrong with the variables of a request, in the same words as for REST. */
function variableIssues({ schema, document, operationName, variableValues }: Execution): InputIssue[] {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  return definitions.flatMap((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never);
    const value = variableValues?.[name];
    if (!isInputType(type) || (value === undefined && definition.defaultValue)) return [];
    if (value === undefined && definition.type.kind !== 'NonNullType') return [];
    return inputIssues(type, value, [name]);
  });
}

/**
 * Says of variables that do not have their types what REST says of its input. Looks only after the execution was
 * refused for them, so that a good request costs nothing.
 */
export const useVariableErrors = (): Plugin => ({
  onExecute: ({ args }) => ({
    onExecuteDone: ({ result, setResult }) => {
      if (!('errors' in result) || 'data' in result) return;
      const issues = variableIssues(args as Execution);
      if (issues.length === 0) return;
      const extensions = { code: 'BAD_USER_INPUT', issues, http: { status: 400, spec: true } };
      setResult({ errors: [new GraphQLError(badUserInput(issues).message, { extensions })] });
    },
  }),
});
