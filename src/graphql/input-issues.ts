import {
  coerceInputValue,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isEnumType,
} from 'graphql';
import type { InputIssue } from '../errors.ts';

/** What is said of a value that its type does not take: pydantic 2's type, and a sentence. */
const describe = (
  wanted: GraphQLNamedInputType,
  value: unknown,
  { message, extensions: { type } }: GraphQLError,
): Pick<InputIssue, 'type' | 'message'> => {
  if (value === undefined) return { type: 'missing', message: 'Required.' };
  // A scalar of ours says itself what is wrong.
  if (typeof type === 'string') return { type, message };
  if (isEnumType(wanted)) {
    const names = wanted.getValues().map(({ name }) => name);
    return { type: 'enum', message: `Must be one of ${names.join(', ')}.` };
  }
  const typeName = wanted.name;
  if (typeName === 'Boolean') return { type: 'bool_type', message: 'Must be true or false.' };
  if (typeName === 'String') return { type: 'string_type', message: 'Must be a string.' };
  if (typeName !== 'Int') return { type: 'value_error', message: `Must be a ${typeName}.` };
  if (typeof value !== 'number') return { type: 'int_type', message: 'Must be an integer.' };
  // JSON and path parameters hold numbers that read as infinite.
  return Number.isInteger(value) || !Number.isFinite(value)
    ? { type: 'int_parsing_size', message: 'Must be an integer from -2147483648 to 2147483647.' }
    : { type: 'int_from_float', message: 'Must be an integer, without a fraction.' };
};

/**
 * Holds a JSON value against an input type, without converting anything.
 * @param path where the value stands, in GraphQL's names
 * @returns what is wrong with it
 */
export function inputIssues(type: GraphQLInputType, value: unknown, path: readonly string[]): InputIssue[] {
  const issues: InputIssue[] = [];
  coerceInputValue(value, type, (inner, invalid, error) => {
    issues.push({
      path: [...path, ...inner.map(String)],
      ...describe(getNamedType(type), invalid, error),
    });
  });
  return issues;
}
