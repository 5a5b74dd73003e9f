import { GraphQLError } from 'graphql';
import { builder } from './builder.ts';
import { dateTimePattern, parseDateTime } from './date-time.ts';

builder.scalarType('DateTime', {
  description:
    'A moment: ISO 8601. Answers are in UTC, with milliseconds and `Z`; an input may have any offset, and must have one.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: { inputSchema: { pattern: dateTimePattern } },
  serialize: (value) => value.toISOString(),
  parseValue: parseDateTime,
});

builder.scalarType('JSONObject', {
  description: 'A JSON object, with whatever members.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
    throw new GraphQLError('Must be a JSON object.', { extensions: { type: 'dict_type' } });
  },
});
