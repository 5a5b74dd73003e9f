import { describe, expect, it } from 'vitest';
import { Problem } from '../../../web/console/api/problem.ts';
import { changesOf } from '../../../web/console/automation/settings-draft.ts';

const stored = { isEnabled: true, sessionDuration: 3_600, updatedAt: null };

describe('changesOf', () => {
  it.each([
    ['nothing touched', {}, {}],
    ['the same typed again', { isEnabled: true, sessionDuration: '3600' }, {}],
    ['one of the two', { isEnabled: false }, { isEnabled: false }],
    ['another length', { sessionDuration: ' 60 ' }, { sessionDuration: 60 }],
    ['both cleared', { isEnabled: null, sessionDuration: '' }, { isEnabled: null, sessionDuration: null }],
  ])('sends only what is different: %s', (_what, draft, changes) => {
    expect(changesOf(draft, stored)).toEqual(changes);
  });

  it.each(['an hour', '1e999'])('refuses %s as a length, and does not clear it', (sessionDuration) => {
    expect(() => changesOf({ sessionDuration }, stored)).toThrow(Problem);
  });
});
