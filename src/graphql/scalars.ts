import { GraphQLError } from 'graphql';
import { builder } from './builder.ts';

/** @param type what is wrong, in the words of an input's issues */
const refuse = (type: string, message: string): never => {
  throw new GraphQLError(message, { extensions: { type } });
};

const dateTime = String.raw`(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?`;
const offset = String.raw`(Z|[+-]\d\d:\d\d)`;

/** What is read as a date-time, for clients. */
const dateTimePattern = `^${dateTime}${offset}$`;

builder.scalarType('DateTime', {
  description:
    'A moment: ISO 8601. Answers are in UTC, with milliseconds and `Z`; an input may have any offset, and must have one.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: { inputSchema: { pattern: dateTimePattern } },
  serialize: (value) => value.toISOString(),
  parseValue: parseDateTime,
});

const shape = new RegExp(`^${dateTime}${offset}?$`);

const refuseDateTime = (type: string): never =>
  refuse(type, 'Must be a date-time with an offset, such as 2026-01-31T12:00:00Z.');

/**
 * Reads a date-time as RFC 3339 has it, of the years 1970 to 9999 in UTC. A fraction is cut to milliseconds.
 * @throws {GraphQLError} with the extension `type`: `timezone_aware` where nothing but the offset is missing,
 *   `datetime_parsing` for anything else
 */
export function parseDateTime(value: unknown): Date {
  const [, dateTime, fraction = '', offset] = (typeof value === 'string' && shape.exec(value)) || [];
  const local = `${dateTime}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (!isReal(local)) return refuseDateTime('datetime_parsing');
  if (offset === undefined) return refuseDateTime('timezone_aware');
  const moment = new Date(local + offset);
  const year = moment.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? moment : refuseDateTime('datetime_parsing');
}

// Date takes February 30 for March 2, and 24:00 for the next day.
const isReal = (local: string): boolean => {
  const moment = new Date(`${local}Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === `${local}Z`;
};

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  serialize: (value) => value,
});

builder.scalarType('JSONObject', {
  description:
    'A JSON object, with names and values of your own: nested at most 32 deep, without NUL characters and halves of surrogate pairs.',
  extensions: { inputSchema: { type: 'object' } },
  serialize: (value) => value,
  parseValue: parseJsonObject,
});

/** How deep a JSON object may be nested, itself included. */
const deepest = 32;

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
function parseJsonObject(value: unknown): Record<string, unknown> {
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
