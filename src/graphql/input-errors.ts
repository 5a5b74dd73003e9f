import {
  coerceInputValue,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isRequiredInputField,
  Kind,
  typeFromAST,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { badUserInput, type InputIssue, mostIssues } from '../errors.ts';

/**
 * Describes faults of the input. For variables of the wrong type, the issues are the same as in REST; no message
 * repeats a value. The plugin checks only refused requests, so a valid request costs nothing.
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

/** The issues of a request's variables, in the same words as in REST. */
function variableIssues({ schema, document, operationName, variableValues }: ExecutionArgs): InputIssue[] {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  return definitions.flatMap((definition) => {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never);
    // Inherited properties of the object are not the caller's.
    const value = Object.hasOwn(variableValues ?? {}, name) ? variableValues?.[name] : undefined;
    if (!isInputType(type) || (value === undefined && definition.defaultValue)) return [];
    if (value === undefined && definition.type.kind !== 'NonNullType') return [];
    return inputIssues(type, value, [name]);
  });
}

/** Describes why a type refuses a value: pydantic 2's error type, and a sentence. */
const describe = (
  type: GraphQLNamedInputType,
  value: unknown,
  { message, extensions }: GraphQLError,
): Pick<InputIssue, 'type' | 'message'> => {
  const { name: typeName } = type;
  if (value === undefined) return { type: 'missing', message: 'Required.' };
  // This service's own scalars describe the fault themselves.
  if (typeof extensions['type'] === 'string') return { type: extensions['type'], message };
  if (typeName === 'Boolean') return { type: 'bool_type', message: 'Must be true or false.' };
  if (typeName === 'String') return { type: 'string_type', message: 'Must be a string.' };
  if (isEnumType(type))
    return {
      type: 'enum',
      message: `Must be one of: ${type
        .getValues()
        .map(({ name }) => name)
        .join(', ')}.`,
    };
  if (typeName !== 'Int') return { type: 'value_error', message: `Must be a ${typeName}.` };
  if (typeof value !== 'number') return { type: 'int_type', message: 'Must be an integer.' };
  // JSON and path parameters may hold numbers that parse as Infinity.
  return Number.isInteger(value) || !Number.isFinite(value)
    ? { type: 'int_parsing_size', message: 'Must be an integer from -2147483648 to 2147483647.' }
    : { type: 'int_from_float', message: 'Must be an integer, without a fraction.' };
};

const leafIssues = (type: GraphQLInputType, value: unknown, path: readonly string[]): InputIssue[] => {
  const issues: InputIssue[] = [];
  coerceInputValue(value, type, (_inner, invalid, error) => {
    issues.push({ path, ...describe(getNamedType(type), invalid, error) });
  });
  return issues;
};

/**
 * The most unknown names in an answer, and the most characters of each. So the answer stays small, whatever the
 * caller sent.
 */
const mostUnknown = 20;
const mostCharacters = 100;

/**
 * Makes an issue for each unknown name.
 * @param path the place of the names
 */
export const unknownIssues = (path: readonly string[], names: Iterable<string>): InputIssue[] =>
  [...names].slice(0, mostUnknown).map((name) => ({
    path: [...path, name.slice(0, mostCharacters)],
    message: 'Unknown member.',
    type: 'extra_forbidden',
  }));

const memberIssues = (
  type: GraphQLInputObjectType,
  value: unknown,
  path: readonly string[],
): InputIssue[] => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ path, type: 'dict_type', message: 'Must be an object.' }];
  const given = new Map(Object.entries(value));
  const fields = type.getFields();
  const issues = Object.values(fields).flatMap((field) =>
    given.get(field.name) === undefined && !isRequiredInputField(field)
      ? []
      : inputIssues(field.type, given.get(field.name), [...path, field.name]),
  );
  const unknown = [...given.keys()].filter((name) => !Object.hasOwn(fields, name));
  return [...issues, ...unknownIssues(path, unknown)];
};

/**
 * Checks a JSON value against an input type, without GraphQL's conversion: a single value is no list.
 * @param path the place of the value, in the names of the type's schema
 * @returns the issues of the value
 */
export function inputIssues(type: GraphQLInputType, value: unknown, path: readonly string[]): InputIssue[] {
  const inner = getNullableType(type);
  // A missing or null value is as wrong for a list or an object as for any other type.
  if (value === undefined || value === null) return leafIssues(type, value, path);
  if (isInputObjectType(inner)) return memberIssues(inner, value, path);
  if (!isListType(inner)) return leafIssues(type, value, path);
  if (!Array.isArray(value)) return [{ path, type: 'list_type', message: 'Must be a list.' }];
  return listIssues(inner.ofType, value, path);
}

/**
 * Checks the items of a list. Stops once there are more issues than the answer shows, because each item takes time.
 */
function listIssues(type: GraphQLInputType, list: readonly unknown[], path: readonly string[]): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const [index, item] of list.entries()) {
    if (issues.length >= mostIssues) break;
    issues.push(...inputIssues(type, item, [...path, `${index}`]));
  }
  return issues;
}

const { INT, FLOAT, STRING, BOOLEAN, NULL, ENUM, LIST, OBJECT } = Kind;
const literals: ReadonlySet<unknown> = new Set([INT, FLOAT, STRING, BOOLEAN, NULL, ENUM, LIST, OBJECT]);

/** The beginning of graphql-js's message about a literal, before the literal itself. */
const beforeLiteral = /^(Expected value of type "[^"]*"|[\w" ]+ cannot represent [\w -]+ value)/;

/** The part of graphql-js's message that shows an unexpected token; punctuation has no text of its own. */
const foundToken = /\b(Name|Int|Float|String|BlockString|Comment) ".*"/s;

const withheldMessage = ({ message, nodes }: GraphQLError): string => {
  if (message.startsWith('Syntax Error: '))
    return message.replace(foundToken, '$1').replace(/ escape sequence: .*/s, ' escape sequence.');
  if (literals.has(nodes?.[0]?.kind))
    return `${beforeLiteral.exec(message)?.[0] ?? 'This value does not have its type'}.`;
  return message.replace(/^(Variable "\$\w+" got invalid value) .*/s, '$1.');
};

/**
 * Removes the caller's input from a message of graphql-js, because it may be a secret: graphql-js repeats literals,
 * tokens and variables. The error's location still shows the place.
 */
export function withholdValues(error: GraphQLError): GraphQLError {
  const message = withheldMessage(error);
  if (message === error.message) return error;
  const { nodes = null, source = null, positions = null, path = null, originalError = null } = error;
  return new GraphQLError(message, {
    ...{ nodes, source, positions, path, originalError },
    extensions: error.extensions,
  });
}
