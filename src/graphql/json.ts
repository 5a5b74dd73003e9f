import { GraphQLError } from 'graphql';

/** How deep a JSON object may be nested, itself included. */
const deepest = 32;

const refuse = (type: string, message: string): never => {
  throw new GraphQLError(message, { extensions: { type } });
};

const checkText = (text: string): void => {
  if (!text.isWellFormed())
    refuse('string_unicode', 'Must be valid Unicode, without half of a surrogate pair.');
  if (text.includes('\0')) refuse('value_error', 'Must not contain a NUL character.');
};

/** Refuses what JSON cannot say, or a database not store; answers what lies in a value. */
function checkValue(value: unknown): unknown[] {
  if (typeof value === 'string') checkText(value);
  // JSON holds numbers that read as infinite.
  if (typeof value === 'number' && !Number.isFinite(value))
    refuse('finite_number', 'Must hold no number that is too large.');
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value;
  for (const name of Object.keys(value)) checkText(name);
  return Object.values(value);
}

/**
 * Reads a JSON object, which stays as it is. Its parts are told by nothing: names and values are the caller's.
 * @throws {GraphQLError} with the extension `type`: `dict_type` for what is no object, `string_unicode` and
 *   `value_error` for texts that cannot be stored, `finite_number`; `value_error` for one that is nested too deep
 */
export function parseJsonObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('dict_type', 'Must be a JSON object.');
  // One level after the other: a caller's nesting is no depth of our stack.
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const isTooDeep = depth === deepest && level.some((each) => typeof each === 'object' && each !== null);
    if (isTooDeep) refuse('value_error', `Must be nested at most ${deepest} deep.`);
    level = level.flatMap(checkValue);
  }
  return value as Record<string, unknown>;
}
