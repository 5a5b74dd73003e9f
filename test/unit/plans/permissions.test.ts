import { describe, expect, it } from 'vitest';
import { hasAll } from '../../../src/api-keys/verify/grants.ts';
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

  it.each([
    ['documents.read', true, true],
    ['documents.write', false, false],
    ['documents.*', false, false],
    ['billing.read', false, false],
    ['audit.*', false, true],
  ])(
    '%s asked of a key with documents.* and billing.read → has it: %s; in the ceiling: %s',
    (asked, has, allowed) => {
      const ceiling = new Ceiling(['documents.read', 'audit.*']);
      expect(hasAll('["documents.*","billing.read"]', ceiling, [asked])).toBe(has);
      expect(ceiling.includes(asked)).toBe(allowed);
    },
  );

  it('a key without a list of permissions → no permissions', () => {
    expect(new Ceiling(['*']).within(null)).toEqual([]);
  });
});
