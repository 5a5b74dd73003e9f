import { maxHeaderSize } from 'node:http';
import { describe, expect, it } from 'vitest';
import { negotiateMediaType } from '../../../src/graphql/answer-graphql.ts';

const json = 'application/json';
const graphql = 'application/graphql-response+json';

describe('the media type of an answer', () => {
  it.each([
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/*', json],
    [json, json],
    [graphql, graphql],
    ['APPLICATION/GraphQL-Response+JSON', graphql],
    [`${json}; charset=utf-8`, json],
    [`${json}; charset=utf-16, ${graphql}`, graphql],
    [`${graphql}, ${json}`, graphql],
    [`${json}, ${graphql}`, json],
    [`${graphql},*/*`, graphql],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', json],
    [`${graphql};q=0.9, ${json}`, json],
    [`${json};q=0.1, ${graphql};q=0.2`, graphql],
    [`${json};q=0, */*`, graphql],
    [`${graphql}, */*;q=0`, graphql],
    [`*/*;q=1, ${json};q=0.5`, graphql],
    [`application/*, ${graphql}`, graphql],
    [`application/*;q=0.2, ${graphql};q=0.1, */*`, json],
  ])('%s → %s', (accept, mediaType) => {
    expect(negotiateMediaType(accept)).toBe(mediaType);
  });

  it.each([
    'multipart/mixed',
    'text/event-stream',
    'text/html',
    'text/*',
    'application/xml',
    `${json}; charset=utf-16`,
    `${json};q=0`,
    `${json};q=none`,
    '*/*;q=0',
    `${json};q=0, ${graphql};q=0.000, */*;q=0`,
    ',',
    'json',
  ])('%s → 406', (accept) => {
    expect(() => negotiateMediaType(accept)).toThrow(
      expect.objectContaining({ code: 'NOT_ACCEPTABLE', status: 406 }),
    );
  });

  it.each([
    ['entries', ','],
    ['types', 'a/b,'],
    ['parameters', ';a=b'],
    ['weights', '*/*;q=0,'],
    ['spaces', ' '],
    ['slashes', '/'],
  ])('a header full of %s → the same as ten of them', (_what, part) => {
    const choose = (accept: string) => {
      try {
        return negotiateMediaType(accept);
      } catch (error) {
        return String(error);
      }
    };
    expect(choose(part.repeat(maxHeaderSize / part.length))).toEqual(choose(part.repeat(10)));
  });
});
