import { describe, expect, it } from 'vitest';
import { Ceiling } from '../../../src/plans/ceiling.ts';
import { intersection } from '../../../src/plans/permissions.ts';

describe('the permissions of a key within a ceiling', () => {
  it.each([
    [['documents.*'], ['documents.read'], ['documents.read']],
    [['documents.read'], ['documents.*'], ['documents.read']],
    [['*'], ['billing.*'], ['billing.*']],
    [['billing.*'], ['*'], ['billing.*']],
    [['*'], ['*'], ['*']],
    [['documents.*'], ['billing.*'], []],
    [['documents.*'], ['documents.a.*', 'documents.b'], ['documents.a.*', 'documents.b']],
    [['documents.*', 'documents.read'], ['*'], ['documents.*']],
    [['documents.read'], [], []],
    [[], ['*'], []],
    [['documents'], ['documents.*'], []],
  ])('%j within %j → %j', (key, ceiling, left) => {
    expect(intersection(key, ceiling)).toEqual(left);
    expect(new Ceiling(ceiling).within(JSON.stringify(key))).toEqual(left);
  });

  it('a key without a list → nothing', () => {
    expect(new Ceiling(['*']).within(null)).toEqual([]);
  });
});
