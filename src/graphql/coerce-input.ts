import { coerceInputValue, type GraphQLInputType, getNamedType } from 'graphql';
import type { InputIssue } from '../errors.ts';

/** What is said of a value that its type does not take: pydantic 2's type, and a sentence. */
const describe = (typeName: string, value: unknown): Pick<InputIssue, 'type' | 'message'> => {
  if (value === undefined) return { type: 'missing', message: 'Required.' };
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
 * Reads a JSON value as an input type says, without converting anything.
 * @param path where the value stands, in GraphQL's names
 * @returns the coerced value, and what is wrong with the given one
 */
export function coerceInput(type: GraphQLInputType, value: unknown, path: readonly string[]) {
  const issues: InputIssue[] = [];
  const coerced: unknown = coerceInputValue(value, type, (inner, invalid) => {
    issues.push({ path: [...path, ...inner.map(String)], ...describe(getNamedType(type).name, invalid) });
  });
  return { value: coerced, issues };
}
