import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  isInputType,
  typeFromAST,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { badUserInput, type InputIssue } from '../errors.ts';
import { inputIssues } from './input-issues.ts';
import { withholdValues } from './withhold-values.ts';

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
    // Nothing that an object inherits counts as given.
    const value = Object.hasOwn(variableValues ?? {}, name) ? variableValues?.[name] : undefined;
    if (!isInputType(type) || (value === undefined && definition.defaultValue)) return [];
    if (value === undefined && definition.type.kind !== 'NonNullType') return [];
    return inputIssues(type, value, [name]);
  });
}

/**
 * Says what is wrong with an input: of variables that do not have their types what REST says of its input, and of none
 * what it was. Looks only after a request was refused, so that a good one costs nothing.
 */
export const useInputErrors = (): Plugin => ({
  onExecute: ({ args }) => ({
    onExecuteDone: ({ result, setResult }) => {
      if (!('errors' in result) || 'data' in result) return;
      const found = variableIssues(args);
      if (found.length === 0) return;
      const { message, issues } = badUserInput(found);
      const extensions = { code: 'BAD_USER_INPUT', issues, http: { status: 400, spec: true } };
      setResult({ errors: [new GraphQLError(message, { extensions })] });
    },
  }),
  onResultProcess: ({ result, setResult }) => {
    const { errors } = result as ExecutionResult;
    if (errors) setResult({ ...result, errors: errors.map(withholdValues) });
  },
});
