import { describe, expect, it } from 'vitest';
import { Problem } from '../../../web/console/api/problem.ts';
import { readDuration } from '../../../web/console/automation/read-duration.ts';
import { english } from '../../support/languages.ts';

describe('readDuration', () => {
  it.each<[string, number | null]>([
    ['', null],
    [' 60 ', 60],
    ['90s', 90],
    ['90 sec', 90],
    ['30 min', 1_800],
    ['1 minute', 60],
    ['1 h', 3_600],
    ['1.5 hours', 5_400],
    ['1,5 H', 5_400],
    ['1 day', 86_400],
  ])('%j → %j seconds', (text, seconds) => {
    expect(readDuration(english, text)).toBe(seconds);
  });

  it.each(['an hour', '1e999', '-1', '1 h 30 min', 'h'])('%s → refused', (text) => {
    expect(() => readDuration(english, text)).toThrow(Problem);
  });

  it.each(['2147483648', '24856 d', '9'.repeat(400)])('%s → too long for a number of the API', (text) => {
    expect(() => readDuration(english, text)).toThrow(
      expect.objectContaining({ issues: [{ path: ['sessionDuration'], message: 'This is too long.' }] }),
    );
  });
});
