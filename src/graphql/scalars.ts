import { GraphQLError } from 'graphql';
import { isInBounds, outOfBounds } from '../operations/input.ts';
import { faultOf } from '../operations/operation.ts';
import { builder } from './builder.ts';

/**
 * Refuses a value.
 * @param type the fault's type, as in the issues of an input
 */
const refuse = (type: string, message: string): never => {
  throw new GraphQLError(message, { extensions: { type } });
};

const dateTime = String.raw`(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?`;
const offset = String.raw`(Z|[+-]\d\d:\d\d)`;

/** The pattern of a date-time, published for clients. */
const dateTimePattern = `^${dateTime}${offset}$`;

builder.scalarType('DateTime', {
  description:
    'A date and time in ISO 8601, in the years 1970–9999 (UTC). Responses use UTC with milliseconds and `Z`. Inputs need an offset.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: { inputSchema: { pattern: dateTimePattern } },
  serialize: (value) => value.toISOString(),
  parseValue: parseDateTime,
});

const shape = new RegExp(`^${dateTime}${offset}?$`);

const refuseDateTime = (type: string): never =>
  refuse(type, 'Must be a date-time with an offset, such as 2026-01-31T12:00:00Z.');

/**
 * Parses a date-time (RFC 3339) in the years 1970 to 9999, UTC. A fraction of a second is cut to milliseconds.
 * @throws {GraphQLError} with the extension `type`: `timezone_aware` if only the offset is missing, otherwise
 *   `datetime_parsing`
 */
export function parseDateTime(value: unknown): Date {
  const [, dateTime, fraction = '', offset] = (typeof value === 'string' && shape.exec(value)) || [];
  const local = `${dateTime}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (!isReal(local)) return refuseDateTime('datetime_parsing');
  if (offset === undefined) return refuseDateTime('timezone_aware');
  const moment = new Date(local + offset);
  if (Number.isNaN(moment.getTime())) return refuseDateTime('datetime_parsing');
  return isInBounds(moment) ? moment : refuse('datetime_parsing', outOfBounds);
}

// Date reads February 30 as March 2, and 24:00 as the next day.
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
    'A JSON object with your own names and values: nested at most 32 levels deep, without NUL characters and lone surrogates.',
  extensions: { inputSchema: { type: 'object' } },
  serialize: (value) => value,
  parseValue: parseJsonObject,
});

/** The greatest depth of a JSON object; the object itself counts as one level. */
const deepest = 32;

const checkText = (text: string): void => {
  const fault = faultOf(text);
  if (fault) refuse(fault.type, fault.message);
};

/** Refuses a value that JSON cannot express or a database cannot store; returns the values inside it. */
function checkValue(value: unknown): unknown[] {
  if (typeof value === 'string') checkText(value);
  // JSON may hold numbers that parse as Infinity.
  if (typeof value === 'number' && !Number.isFinite(value))
    refuse('finite_number', 'Must hold no number that is too large.');
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value;
  for (const name of Object.keys(value)) checkText(name);
  return Object.values(value);
}

/**
 * Checks a JSON object and returns it unchanged. Issues name no part of it, because its names and values are the
 * caller's.
 * @throws {GraphQLError} with the extension `type`: `dict_type` for a value that is no object, `string_unicode` and
 *   `value_error` for texts that a database cannot store, `finite_number`, and `value_error` for an object that is
 *   nested too deep
 */
function parseJsonObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('dict_type', 'Must be a JSON object.');
  // Goes level by level, so that a caller's deep nesting cannot exhaust the call stack.
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const isTooDeep = depth === deepest && level.some((each) => typeof each === 'object' && each !== null);
    if (isTooDeep) refuse('value_error', `Must be nested at most ${deepest} deep.`);
    level = level.flatMap(checkValue);
  }
  return value as Record<string, unknown>;
}
