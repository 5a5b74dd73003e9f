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
