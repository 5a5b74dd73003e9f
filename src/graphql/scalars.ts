import { builder } from './builder.ts';
import { dateTimePattern, parseDateTime } from './date-time.ts';
import { parseJsonObject } from './json.ts';

builder.scalarType('DateTime', {
  description:
    'A moment: ISO 8601. Answers are in UTC, with milliseconds and `Z`; an input may have any offset, and must have one.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: { inputSchema: { pattern: dateTimePattern } },
  serialize: (value) => value.toISOString(),
  parseValue: parseDateTime,
});

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
