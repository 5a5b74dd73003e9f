import { buildSchema, type GraphQLError, graphqlSync } from 'graphql';
import { describe, expect, it } from 'vitest';
import { withholdValues } from '../../../src/graphql/input-errors.ts';

const schema = buildSchema(`
  enum Colour { RED }
  input Range { min: Int! max: Int inner: Range }
  input Either @oneOf { a: String b: String }
  type Query {
    int(it: Int): Int float(it: Float): Int text(it: String!): Int flag(it: Boolean): Int id(it: ID): Int
    colour(it: Colour): Int range(it: Range): Int either(it: Either): Int list(it: [Int!]): Int
  }
`);

const errorsOf = (source: string, variableValues?: Record<string, unknown>): readonly GraphQLError[] =>
  graphqlSync({ schema, source, variableValues }).errors ?? [];

const said = (source: string, variables?: Record<string, unknown>) =>
  errorsOf(source, variables).map((error) => withholdValues(error).message);

describe('an error about a literal → the message does not repeat it', () => {
  it.each([
    ['int(it: "canary")', 'Int cannot represent non-integer value.'],
    ['int(it: 99999999999)', 'Int cannot represent non 32-bit signed integer value.'],
    ['float(it: canary)', 'Float cannot represent non numeric value.'],
    ['text(it: ["canary"])', 'String cannot represent a non string value.'],
    ['text(it: null)', 'Expected value of type "String!".'],
    ['flag(it: {a: "canary"})', 'Boolean cannot represent a non boolean value.'],
    ['id(it: [canary])', 'ID cannot represent a non-string and non-integer value.'],
    ['colour(it: CANARY)', 'This value does not have its type.'],
    ['colour(it: "canary: value")', 'Enum "Colour" cannot represent non-enum value.'],
    ['range(it: "canary")', 'Expected value of type "Range".'],
    ['range(it: {min: "canary"})', 'Int cannot represent non-integer value.'],
    ['range(it: {max: 1})', 'This value does not have its type.'],
    ['list(it: [1, "canary"])', 'Int cannot represent non-integer value.'],
    ['either(it: {a: "canary", b: "canary"})', 'This value does not have its type.'],
  ])('%s → %s', (field, message) => {
    expect(said(`{ ${field} }`)).toEqual([message]);
    expect(said(`query ($v: Int = "canary") { ${field} int(it: $v) }`)).toContain(message);
  });

  it('the error keeps its place', () => {
    const [error] = errorsOf('{ int(it: "canary") }').map(withholdValues);
    expect(error?.locations).toEqual([{ line: 1, column: 11 }]);
  });

  it('a variable in it is null → its value is not repeated', () => {
    const document = 'query ($v: Int = 1) { range(it: {min: $v, max: 918}) }';
    expect(errorsOf(document, { v: null })[0]?.message).toContain('918');
    expect(said(document, { v: null })).toEqual(['This value does not have its type.']);
  });
});

describe('an error about a variable → the message does not repeat its value', () => {
  it.each([
    ['Int', 'canary'],
    ['[Int!]', ['canary', { canary: 1 }]],
    ['Range', { min: 1, inner: { min: 'canary\n' } }],
  ])('the type %s, the value %j', (type, value) => {
    const field = type === 'Int' ? 'int' : type === 'Range' ? 'range' : 'list';
    const messages = said(`query ($v: ${type}) { ${field}(it: $v) }`, { v: value });
    expect(new Set(messages)).toEqual(new Set(['Variable "$v" got invalid value.']));
  });
});

describe('a syntax error → the message does not repeat the text', () => {
  it.each([
    ['{ int(it: 1 "canary") }', 'Syntax Error: Expected Name, found String.'],
    ['{ int(it: 1 """a " canary""") }', 'Syntax Error: Expected Name, found BlockString.'],
    ['{ int(it: 1: canary) }', 'Syntax Error: Expected Name, found ":".'],
    ['{ int(918) }', 'Syntax Error: Expected Name, found Int.'],
    ['{ int(9.18) }', 'Syntax Error: Expected Name, found Float.'],
    ['canary', 'Syntax Error: Unexpected Name.'],
    ['{ text(it: "\\u{canary}") }', 'Syntax Error: Invalid Unicode escape sequence.'],
    ['{ text(it: "\\uD8canary") }', 'Syntax Error: Invalid Unicode escape sequence.'],
    ['{ text(it: "\\canary") }', 'Syntax Error: Invalid character escape sequence.'],
    ['{ text(it: "canary', 'Syntax Error: Unterminated string.'],
  ])('%s → %s', (document, message) => {
    expect(said(document)).toEqual([message]);
    const [error] = errorsOf(document);
    expect(error && withholdValues(error).locations).toEqual(error?.locations);
  });
});

it('other errors → unchanged', () => {
  const documents = [
    '{ canary }',
    '{ int(canary: 1) }',
    '{ int @canary }',
    '{ int(it: $canary) }',
    '{ text }',
    '{',
  ];
  const errors = documents.flatMap((document) => errorsOf(document));
  expect(errors).toHaveLength(documents.length);
  expect(errors.map(withholdValues)).toEqual(errors);
  for (const error of errors) expect(withholdValues(error)).toBe(error);
});
