import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { inputIssues } from '../../../src/graphql/input-errors.ts';

const colour = new GraphQLEnumType({ name: 'Colour', values: { RED: {}, GREEN: {} } });
const range = new GraphQLInputObjectType({
  name: 'Range',
  fields: { min: { type: new GraphQLNonNull(GraphQLInt) }, max: { type: GraphQLInt } },
});
const required = (type: typeof GraphQLInt | typeof GraphQLBoolean) => new GraphQLNonNull(type);

describe('a value of its type', () => {
  it.each<[GraphQLInputType, unknown]>([
    [GraphQLInt, 0],
    [GraphQLInt, 3600.0],
    [GraphQLInt, -2_147_483_648],
    [GraphQLInt, 2_147_483_647],
    [GraphQLInt, null],
    [GraphQLBoolean, false],
    [GraphQLBoolean, null],
    [GraphQLString, ''],
    [colour, 'RED'],
    [range, { min: 1 }],
    [new GraphQLList(GraphQLInt), [1, null]],
  ])('%s accepts %j', (type, value) => {
    expect(inputIssues(type, value, ['it'])).toEqual([]);
  });
});

describe('a value of another type', () => {
  const size = ['int_parsing_size', 'Must be an integer from -2147483648 to 2147483647.'] as const;
  const int = ['int_type', 'Must be an integer.'] as const;
  const fraction = ['int_from_float', 'Must be an integer, without a fraction.'] as const;
  const bool = ['bool_type', 'Must be true or false.'] as const;
  const string = ['string_type', 'Must be a string.'] as const;

  it.each<[GraphQLInputType, unknown, readonly [string, string]]>([
    [GraphQLInt, 2_147_483_648, size],
    [GraphQLInt, -2_147_483_649, size],
    [GraphQLInt, 1e300, size],
    [GraphQLInt, Number.POSITIVE_INFINITY, size],
    [GraphQLInt, 3600.5, fraction],
    [GraphQLInt, '3600', int],
    [GraphQLInt, true, int],
    [GraphQLInt, [], int],
    [GraphQLInt, {}, int],
    [required(GraphQLInt), null, int],
    [required(GraphQLInt), undefined, ['missing', 'Required.']],
    [GraphQLBoolean, 'yes', bool],
    [GraphQLBoolean, 1, bool],
    [GraphQLBoolean, 0, bool],
    [GraphQLBoolean, [true], bool],
    [required(GraphQLBoolean), null, bool],
    [GraphQLString, 5, string],
    [GraphQLString, ['a'], string],
    [colour, 'BLUE', ['enum', 'Must be one of: RED, GREEN.']],
  ])('%s refuses %j', (type, value, [issueType, message]) => {
    const issues = inputIssues(type, value, ['it']);
    expect(issues).toEqual([{ path: ['it'], type: issueType, message }]);
  });

  it('several in a list → each is named by its place', () => {
    const issues = inputIssues(new GraphQLList(GraphQLInt), [1, 'x', 2, 2.5], ['limits']);
    expect(issues.map(({ path, type }) => [path, type])).toEqual([
      [['limits', '1'], 'int_type'],
      [['limits', '3'], 'int_from_float'],
    ]);
  });
});
