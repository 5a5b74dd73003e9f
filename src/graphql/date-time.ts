import { GraphQLError } from 'graphql';

const dateTime = String.raw`(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?`;
const offset = String.raw`(Z|[+-]\d\d:\d\d)`;

/** What is read as a date-time, for clients. */
export const dateTimePattern = `^${dateTime}${offset}$`;

const shape = new RegExp(`^${dateTime}${offset}?$`);

const refuse = (type: string): never => {
  throw new GraphQLError('Must be a date-time with an offset, such as 2026-01-31T12:00:00Z.', {
    extensions: { type },
  });
};

/**
 * Reads a date-time as RFC 3339 has it, of the years 1970 to 9999 in UTC. A fraction is cut to milliseconds.
 * @throws {GraphQLError} with the extension `type`: `timezone_aware` where nothing but the offset is missing,
 *   `datetime_parsing` for anything else
 */
export function parseDateTime(value: unknown): Date {
  const [, dateTime, fraction = '', offset] = (typeof value === 'string' && shape.exec(value)) || [];
  const local = `${dateTime}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  if (!isReal(local)) return refuse('datetime_parsing');
  if (offset === undefined) return refuse('timezone_aware');
  const moment = new Date(local + offset);
  const year = moment.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? moment : refuse('datetime_parsing');
}

// Date takes February 30 for March 2, and 24:00 for the next day.
const isReal = (local: string): boolean => {
  const moment = new Date(`${local}Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === `${local}Z`;
};
