import { describe, expect, it } from 'vitest';
import {
  describePoint,
  inWords,
  nameOfPeriod,
  pointsOf,
  rangeOf,
  totalOf,
} from '../../../web/console/usage/usage-points.ts';
import { english } from '../../support/languages.ts';

const now = new Date('2026-03-01T12:34:56.789Z');

describe('rangeOf', () => {
  it.each([
    ['24h', '2026-02-28T13:00:00.000Z', '2026-03-01T13:00:00.000Z'],
    ['7d', '2026-02-22T13:00:00.000Z', '2026-03-01T13:00:00.000Z'],
    ['30d', '2026-01-31T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
  ] as const)('%s → ends with the hour or day that has begun', (span, from, to) => {
    expect(rangeOf(span, now)).toEqual({ from: new Date(from), to: new Date(to) });
  });

  it('at a full hour → includes the hour that begins', () => {
    const { to } = rangeOf('24h', new Date('2026-03-01T12:00:00.000Z'));
    expect(to.toISOString()).toBe('2026-03-01T13:00:00.000Z');
  });
});

describe('pointsOf', () => {
  const { from } = rangeOf('24h', now);
  const points = pointsOf('24h', from, [
    { at: '2026-02-28T13:00:00.000Z', outcome: 'valid', count: 5 },
    { at: '2026-03-01T12:00:00.000Z', outcome: 'expired', count: 2 },
    { at: '2026-03-01T12:00:00.000Z', outcome: 'a_reason_of_later', count: 30 },
    { at: '2026-03-01T12:00:00.000Z', outcome: 'valid', count: 1 },
  ]);

  it('has every hour, even those without use', () => {
    expect(points).toHaveLength(24);
    expect(points[0]).toMatchObject({ at: from, valid: 5, refused: 0 });
    expect(points[1]).toMatchObject({ valid: 0, refused: 0, reasons: new Map() });
    expect(points[23]).toMatchObject({ at: new Date('2026-03-01T12:00:00.000Z'), valid: 1, refused: 32 });
  });

  it('30 days → one point a day', () => {
    const day = { at: '2026-03-01T00:00:00.000Z', outcome: 'valid', count: 9 };
    expect(pointsOf('30d', rangeOf('30d', now).from, [day]).map(({ valid }) => valid)).toEqual([
      ...Array(29).fill(0),
      9,
    ]);
  });

  it('the total → the sums, with the most frequent reason first', () => {
    expect(totalOf(points)).toEqual({
      valid: 6,
      refused: 32,
      reasons: new Map([
        ['a_reason_of_later', 30],
        ['expired', 2],
      ]),
    });
    expect([...totalOf(points).reasons.keys()]).toEqual(['a_reason_of_later', 'expired']);
    expect(totalOf([])).toEqual({ valid: 0, refused: 0, reasons: new Map() });
  });
});

describe('in words', () => {
  it('a point → its counts, and the reasons of the refusals', () => {
    const reasons = new Map([
      ['address_not_allowed', 1200],
      ['expired', 1],
    ]);
    expect(describePoint(english, { valid: 12_345, refused: 1201, reasons })).toBe(
      '12,345 valid, 1,201 refused (1,200 address not allowed, 1 expired)',
    );
    expect(describePoint(english, { valid: 1, refused: 0, reasons: new Map() })).toBe(
      '1 valid, none refused',
    );
    expect(inWords(english, 'quota_exceeded')).toBe('quota exceeded');
  });

  it('a day → its date in UTC', () => {
    expect(nameOfPeriod(english, new Date('2026-03-01T00:00:00.000Z'), '30d')).toBe('Sun 1 Mar');
  });
});
