import { GraphQLError } from 'graphql';
import { builder } from './builder.ts';

builder.scalarType('DateTime', {
  description: 'A moment in UTC: ISO 8601 with milliseconds and `Z`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  extensions: { jsonSchema: { type: 'string', format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] } },
  serialize: (value) => value.toISOString(),
  parseValue: () => {
    throw new GraphQLError('No operation takes a DateTime.');
  },
});
